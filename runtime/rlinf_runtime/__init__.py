"""What runs inside the container."""
