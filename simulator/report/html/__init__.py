"""Reports as pages: one HTML file each, with its style and pictures in it, without scripts."""
