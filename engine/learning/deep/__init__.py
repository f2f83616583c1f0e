"""Nets with towers of convolutions that PyTorch teaches, on an accelerator where there is one, by Gumbel self-play."""
