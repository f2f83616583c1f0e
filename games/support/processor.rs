//! Functions in the widest vectors that the processor has.

/// Compiles a function for each kind of vectors, and calls the one for this processor. In the body `FUSED` says whether the
/// processor multiplies and adds in one step.
#[macro_export]
macro_rules! by_processor {
    ($(#[$doc:meta])* pub fn $name:ident($($argument:ident: $type:ty),*) $body:block) => {
        $(#[$doc])*
        pub fn $name($($argument: $type),*) {
            #[inline(always)]
            fn plain<const FUSED: bool>($($argument: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx2,fma")]
                fn wide($($argument: $type),*) {
                    plain::<true>($($argument),*);
                }
                #[target_feature(enable = "avx2,fma")]
                fn middle($($argument: $type),*) {
                    plain::<true>($($argument),*);
                }
                if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has AVX-512F and FMA, and with them AVX2.
                    return unsafe { wide($($argument),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has AVX2 and FMA.
                    return unsafe { middle($($argument),*) };
                }
            }
            plain::<false>($($argument),*);
        }
    };
}
