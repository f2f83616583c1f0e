//! What connect four knows of a position without playing it out: H(s) and H(s, a).
pub fn placeholder() {}
