"""Which queries are searched with which weight, and how their lists become one."""
