"""What it runs on: identity, network, storage, security, devices, scheduling, gangs."""
