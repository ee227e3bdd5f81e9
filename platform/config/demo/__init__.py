"""What `manage.py demo` is made of: people, sample agents, and a server that says when it is ready."""
