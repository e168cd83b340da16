"""Optional bridges to other projects. Nothing in the rest of the package needs one."""
