"""The engines that carry out a plan, and what comes out of them."""
