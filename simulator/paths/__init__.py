"""The ways from a processing element to its files: through the SSU, or over the LAN."""
