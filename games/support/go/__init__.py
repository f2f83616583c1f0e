"""Parts of the rules of Go: stones on a board, text, symmetries, komi and handicap. Open ``board.py`` first; the others
read boards as it does.
"""
