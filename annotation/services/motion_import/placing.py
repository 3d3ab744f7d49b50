"""Which rows an import makes: planned by reading alone, written by the caller's transaction."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from annotation.models import Generator, Prompt, Sample, Study, StudySample
from annotation.services.motion_import.manifest import REFERENCE
from annotation.services.motion_import.portions import portions
from annotation.services.motion_import.staging import StagedRow
from annotation.services.prompts import generator_register
from annotation.services.studies import study_add_samples
from config.audit.services import audit_record_each
from rendering.models import Motion
from rendering.services.arrivals import ArrivedMotion, motions_create


class SampleKey(NamedTuple):
    """What makes a sample one sample. A new prompt has a code already."""

    prompt: str
    generator: str
    motion: str


@dataclass(frozen=True)
class NewSample:
    key: SampleKey
    code: str


@dataclass
class Plan:
    """`created`, `placed` and `unchanged` are of samples."""

    prompts: dict[str, Prompt] = field(default_factory=dict)  # by code, those that are there and those to come
    new_prompts: list[Prompt] = field(default_factory=list)
    motions: dict[str, ArrivedMotion] = field(default_factory=dict)  # to come, by content hash
    generators: list[str] = field(default_factory=list)  # to come
    created: list[NewSample] = field(default_factory=list)
    placed: list[Sample] = field(default_factory=list)
    unchanged: int = 0
    replaced: list[str] = field(default_factory=list)  # codes of samples that stand in the study as replaced

    @property
    def changes_something(self) -> bool:
        return bool(self.created or self.placed)


def plan_make(study: Study, staged: Sequence[StagedRow], prompts: Mapping[str, Prompt]) -> Plan:
    wanted = {
        SampleKey(prompts[each.row.prompt].code, each.row.generator, each.motion.content_hash): each for each in staged
    }
    samples = _samples(wanted)
    places = _places(study, samples.values())
    codes = _Codes({key for key in wanted if key not in samples})
    plan = Plan(prompts={key.prompt: prompts[each.row.prompt] for key, each in wanted.items()})
    plan.new_prompts = [prompt for prompt in plan.prompts.values() if prompt.pk is None]
    for key in wanted:
        if key not in samples:
            plan.created.append(NewSample(key, codes.next(key)))
        elif samples[key].pk not in places:
            plan.placed.append(samples[key])
        else:
            plan.unchanged += 1
            if not places[samples[key].pk]:
                plan.replaced.append(samples[key].code)
    motions = {each.motion.content_hash: each.motion for each in staged}
    known_motions = _motions_known(motions)
    plan.motions = {digest: motion for digest, motion in motions.items() if digest not in known_motions}
    names = dict.fromkeys(each.row.generator for each in staged)
    known_generators = generators_known(names)
    plan.generators = [name for name in names if name not in known_generators]
    return plan


def plan_write(plan: Plan, study: Study, *, found: Collection[str], actor: str) -> None:
    """Every row and its audit event. `found` is of `motion_files_stored`."""
    new_prompts = Prompt.objects.bulk_create(plan.new_prompts, batch_size=500)
    audit_record_each(actor=actor, action="prompt.created", subjects=new_prompts)
    for name in plan.generators:
        generator_register(name=name, is_reference=name == REFERENCE, actor=actor)
    motions_create(list(plan.motions.values()), found=found)
    samples = _samples_create(plan)
    audit_record_each(actor=actor, action="sample.created", subjects=samples)
    study_add_samples(study=study, samples=[*samples, *plan.placed], actor=actor)


def generators_known(names: Iterable[str]) -> dict[str, Generator]:
    return {
        generator.name: generator
        for portion in portions(names)
        for generator in Generator.objects.filter(name__in=portion)
    }


def _samples_create(plan: Plan) -> list[Sample]:
    motions = _motions_known({new.key.motion for new in plan.created})
    generators = generators_known({new.key.generator for new in plan.created})
    return Sample.objects.bulk_create(
        [
            Sample(
                code=new.code,
                prompt=plan.prompts[new.key.prompt],
                generator=generators[new.key.generator],
                motion=motions[new.key.motion],
            )
            for new in plan.created
        ],
        batch_size=500,
    )


def _motions_known(hashes: Iterable[str]) -> dict[str, Motion]:
    return {
        motion.content_hash: motion
        for portion in portions(hashes)
        for motion in Motion.objects.filter(content_hash__in=portion)
    }


def _samples(wanted: Collection[SampleKey]) -> dict[SampleKey, Sample]:
    found = {}
    for portion in portions({key.motion for key in wanted}):
        samples = Sample.objects.filter(motion__content_hash__in=portion)
        for sample in samples.select_related("prompt", "generator", "motion"):
            found[SampleKey(sample.prompt.code, sample.generator.name, sample.motion.content_hash)] = sample
    return {key: sample for key, sample in found.items() if key in wanted}


def _places(study: Study, samples: Iterable[Sample]) -> dict[int, bool]:
    """Whether it is active, for each of the samples that has a place in the study."""
    places: dict[int, bool] = {}
    for portion in portions(sample.pk for sample in samples):
        found = StudySample.objects.filter(study=study, sample__in=portion)
        places.update(found.values_list("sample_id", "is_active"))
    return places


class _Codes:
    """`<prompt>.<generator>`, and from the second repetition on its number; never one that is taken."""

    def __init__(self, wanted: Collection[SampleKey]) -> None:
        self._taken: set[str] = set()
        self._count: Counter[tuple[str, str]] = Counter()
        for portion in portions({key.prompt for key in wanted}):
            samples = Sample.objects.filter(prompt__code__in=portion)
            for code, prompt, generator in samples.values_list("code", "prompt__code", "generator__name"):
                self._taken.add(code)
                self._count[prompt, generator] += 1

    def next(self, key: SampleKey) -> str:
        pair = key.prompt, key.generator
        while True:
            self._count[pair] += 1
            number = self._count[pair]
            code = f"{key.prompt}.{key.generator}" + (f".{number}" if number > 1 else "")
            if code not in self._taken:
                self._taken.add(code)
                return code
