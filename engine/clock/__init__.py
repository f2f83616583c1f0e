"""Time management. ``time_plan.py`` turns a clock into deadlines for one move."""
