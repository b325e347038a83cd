"""Software configs and deployments of servers."""
