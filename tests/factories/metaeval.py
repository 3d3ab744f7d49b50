"""The machine half: metrics and their scores, probes, analyses and reports."""

import factory
from factory.django import DjangoModelFactory

from metaeval.models import (
    Analysis,
    Direction,
    Judge,
    Level,
    Metric,
    Preregistration,
    Probe,
    ProbeKind,
    Report,
    ReportArchive,
    Score,
)
from tests.factories.annotation import GeneratorFactory, LabelSetFactory, SampleFactory, StudyFactory
from tests.factories.rendering import digest


class MetricFactory(DjangoModelFactory[Metric]):
    class Meta:
        model = Metric

    name = factory.Sequence(lambda n: f"metric-{n}")
    level = Level.SAMPLE
    direction = Direction.HIGHER


class JudgeFactory(DjangoModelFactory[Judge]):
    class Meta:
        model = Judge

    metric = factory.SubFactory(MetricFactory)
    model = "some-vision-model"
    instructions = "Rate the clip from 1 to 5."


class ScoreFactory(DjangoModelFactory[Score]):
    """Of a sample; `of_generator=True` gives one of a generator within a study."""

    class Meta:
        model = Score

    class Params:
        of_generator = factory.Trait(
            metric=factory.SubFactory(MetricFactory, level=Level.GENERATOR),
            sample=None,
            generator=factory.SubFactory(GeneratorFactory),
            study=factory.SubFactory(StudyFactory),
        )

    metric = factory.SubFactory(MetricFactory)
    sample = factory.SubFactory(SampleFactory)
    value = 0.5


class ProbeFactory(DjangoModelFactory[Probe]):
    class Meta:
        model = Probe

    metric = factory.SubFactory(MetricFactory)
    kind = ProbeKind.NEGATION
    input_hash = factory.Sequence(lambda n: digest("texts", n))
    seed = 1
    texts = 10
    value = 0.5


class PreregistrationFactory(DjangoModelFactory[Preregistration]):
    class Meta:
        model = Preregistration

    study = factory.SubFactory(StudyFactory)
    title = factory.Sequence(lambda n: f"preregistration {n}")
    settings = factory.LazyFunction(lambda: {"resampling": {"seed": 0}})
    toml = "[resampling]\nseed = 0\n"
    settings_hash = digest("settings")
    labels_frozen_before = factory.LazyAttribute(
        lambda row: row.study.label_sets.filter(frozen_at__isnull=False).count()
    )
    created_by = "user:researcher"


class AnalysisFactory(DjangoModelFactory[Analysis]):
    class Meta:
        model = Analysis

    title = factory.Sequence(lambda n: f"analysis {n}")
    label_set = factory.SubFactory(LabelSetFactory, frozen=True)
    settings_hash = digest("settings")
    created_by = "user:researcher"


class ReportFactory(DjangoModelFactory[Report]):
    class Meta:
        model = Report

    analysis = factory.SubFactory(AnalysisFactory)
    finding = "The metric tracks people."
    results = factory.LazyFunction(lambda: {"tables": []})
    provenance = factory.LazyFunction(lambda: {"version": "0.1.0"})
    content_hash = digest("report")


class ReportArchiveFactory(DjangoModelFactory[ReportArchive]):
    """A row; its file is nowhere."""

    class Meta:
        model = ReportArchive

    report = factory.SubFactory(ReportFactory)
    file = "reports/none.zip"
    sha256 = digest("zip")
    size = 1
    names = factory.LazyFunction(lambda: ["report.html"])
