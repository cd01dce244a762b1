"""The tiers of paths, wrapped around each other from the program down to the device."""
