"""Which motions a study shows to its raters."""

from django.db.models import Q, QuerySet

from annotation.models import Sample, Study
from rendering.models import Motion


def study_motions(study: Study) -> QuerySet[Motion]:
    """Motions of the study's active samples and of its active gold."""
    return Motion.objects.filter(is_shown_in(study, motion="pk"))


def is_shown_in(study: Study, *, motion: str = "motion") -> Q:
    """The condition on a row whose column `motion` names a motion."""
    samples = Sample.objects.filter(places__study=study, places__is_active=True)
    gold = Sample.objects.filter(gold__study=study, gold__is_active=True)
    return Q(**{f"{motion}__in": samples.values("motion")}) | Q(**{f"{motion}__in": gold.values("motion")})
