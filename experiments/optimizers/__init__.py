"""One file per optimizer, behind one small contract."""
