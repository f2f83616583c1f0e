//! The numbers of the look-ahead that matches decide.

macro_rules! terms {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        /// The numbers of the search. Plies are counted in whole ones, scores in centipawns.
        #[derive(Clone, Debug)]
        pub struct Terms {
            $($(#[$doc])* pub $name: i32,)*
        }

        impl Default for Terms {
            fn default() -> Terms {
                Terms { $($name: $value,)* }
            }
        }

        impl Terms {
            /// Sets one of the numbers by its name.
            ///
            /// # Errors
            ///
            /// One line with all names, if there is no such number.
            pub fn set(&mut self, name: &str, value: i32) -> Result<(), String> {
                match name {
                    $(stringify!($name) => self.$name = value,)*
                    _ => return Err(format!("{name} is none of {}", [$(stringify!($name)),*].join(", "))),
                }
                Ok(())
            }
        }
    };
}

terms! {
    /// Most depth at which the static score, with a margin above the window for each ply, ends a search; the margin.
    reverse_depth = 7;
    reverse_each = 63;
    /// Most depth at which a static score so far below the window for each ply is settled by captures alone.
    razor_depth = 3;
    razor_each = 237;
    /// Most depth at which quiet moves are left out where the static score, with this margin and another one for each ply,
    /// stays below the window.
    futile_depth = 6;
    futile_base = 107;
    futile_each = 88;
    /// Most depth at which late quiet moves are left out: those after the first few and one more for each ply, squared; half
    /// as many where the static score falls.
    late_depth = 7;
    late_base = 3;
    /// Most depth at which moves that lose this much material for each ply are left out: captures, other moves.
    losing_depth = 6;
    losing_capture = 95;
    losing_quiet = 50;
    /// Plies that a null move saves, and one more for each group of this number of plies of depth, and for this score above
    /// the window, up to three.
    null_base = 3;
    null_plies = 4;
    null_above = 200;
    /// Least depth at which captures are tried that may be this far above the window.
    probe_depth = 5;
    probe_margin = 193;
    /// Least depth at which a position without a known best move is searched a ply less.
    unknown_depth = 3;
    /// Least depth at which a best move is searched a ply deeper if all others fall short of it by this many half centipawns
    /// a ply.
    singular_depth = 6;
    singular_each = 4;
    /// Hundredths of plies that are saved at a late move, and the hundredths by which the product of the logarithms of depth
    /// and number of the move is divided for the rest; the rank that is worth a ply.
    reduce_base = 64;
    reduce_by = 225;
    reduce_rank = 13_600;
    /// Plies that are saved besides where a move is expected to be enough.
    reduce_cut = 1;
    /// Centipawns above the window by which a late move that was reduced is searched a ply deeper than without.
    deeper = 35;
    /// The weight that a move earns for each squared ply of depth where it is enough, and the most that it earns.
    bonus_each = 14;
    bonus_most = 1470;
    /// Half of the window around the score of the depth before.
    window = 26;
    /// Captures that leave the score this far below what is asked for, even so, are not looked at.
    capture_margin = 198;
}
