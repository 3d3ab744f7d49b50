from typing import Any

from config.api.resources import Resource
from metaeval.api.analyses import AnalysisResource, ReportResource
from metaeval.api.metrics import JudgeResource, MetricResource, ProbeResource, ScoreResource
from metaeval.api.preregistrations import PreregistrationResource

ROUTES: dict[str, type[Resource[Any]]] = {
    "metrics": MetricResource,
    "judges": JudgeResource,
    "scores": ScoreResource,
    "probes": ProbeResource,
    "analyses": AnalysisResource,
    "preregistrations": PreregistrationResource,
    "reports": ReportResource,
}
