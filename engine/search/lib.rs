//! Monte Carlo graph search.
