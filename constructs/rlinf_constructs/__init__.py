"""Reusable cdk8s constructs for training on Kubernetes."""
