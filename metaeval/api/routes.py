from typing import Any

from config.api.resources import Resource
from metaeval.api.analyses import AnalysisResource, ReportResource
from metaeval.api.metrics import JudgeResource, MetricResource, ProbeResource, ScoreResource

ROUTES: dict[str, type[Resource[Any]]] = {
    "metrics": MetricResource,
    "judges": JudgeResource,
    "scores": ScoreResource,
    "probes": ProbeResource,
    "analyses": AnalysisResource,
    "reports": ReportResource,
}
