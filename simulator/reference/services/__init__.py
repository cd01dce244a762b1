"""Services beside storage: message servers, process servers, numerical servers."""
