"""What is written where something was let go, and how an entry says that it is over."""
