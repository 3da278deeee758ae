"""As played: rounds that were played elsewhere, written down, judged, and their first fault found."""
