"""A manifest's motions become samples: every error has its line, nothing is kept by halves, twice is once."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Generator, Prompt, Sample, Study, StudySample, StudyState
from annotation.services.motion_import import importing
from annotation.services.motion_import.arriving import manifest_opened
from annotation.services.motion_import.files import FolderFiles
from annotation.services.motion_import.importing import ImportOvertaken, MotionImport, StudyClosed, motions_import
from annotation.services.prompts import prompt_create, prompt_text_hash, sample_create
from annotation.services.studies import study_plan_clips
from config.audit.models import AuditEvent
from rendering.models import Clip, Motion, RenderJob
from rendering.motion import read_motion, trajectory_from_array
from rendering.services import arrivals
from rendering.services.arrivals import ArrivedMotion
from rendering.services.motions import motion_store
from tests.annotation.manifests import amass, bvh, csv, folder_of, joints, jsonl, npy, npz, pickled
from tests.factories import GeneratorFactory, StudyFactory
from tests.rendering.people import NO_SHARED, SHARED

pytestmark = pytest.mark.django_db

ME = "user:ada"
WALK, WAVE = "a person walks.", "a person waves."


@pytest.fixture
def study(files: Path) -> Study:
    return StudyFactory(code="walks")


@pytest.fixture
def walk() -> Prompt:
    return prompt_create(code="walk", text=WALK, actor=ME)


def bring(study: Study, manifest: Path, **options: Any) -> MotionImport:
    with manifest.open("rb") as file:
        upload = manifest_opened(file, manifest.name)
    return motions_import(
        study=study, manifest=upload, files=FolderFiles(manifest.parent), actor=ME, **{"plan_clips": False} | options
    )


def bring_rows(study: Study, folder: Path, rows: list[str], contents: Mapping[str, bytes], **options: Any) -> Any:
    return bring(study, folder_of(folder, csv(*rows), contents), **options)


def problems(result: MotionImport) -> list[tuple[int, str]]:
    assert result.counts == importing.MotionCounts()
    return [(problem.line, problem.field) for problem in result.problems]


def stored(files: Path) -> list[str]:
    return sorted(path.name for path in files.rglob("*") if path.is_file())


def everything() -> dict[str, int]:
    models = (Prompt, Generator, Motion, Sample, StudySample, Clip, RenderJob, AuditEvent)
    return {model.__name__: model.objects.count() for model in models}


# --- Good manifests ---------------------------------------------------------------------------------------------------


def test_each_line_becomes_a_sample_in_the_study(study: Study, walk: Prompt, tmp_path: Path, files: Path) -> None:
    rows = ["mdm/a.npy,walk,mdm,20", f"b.npy,{WALK},reference", f"./c.npy,{WAVE},mdm"]
    contents = {"mdm/a.npy": npy(joints()), "b.npy": npy(joints(1)), "c.npy": npy(joints(2))}
    result = bring_rows(study, tmp_path / "in", rows, contents)
    assert result.problems == ()
    assert (result.counts.created, result.counts.prompts, result.counts.generators) == (3, 1, 2)
    assert (result.new_prompts, result.new_generators) == ([WAVE], ["mdm", "reference"])
    codes = list(Sample.objects.values_list("code", flat=True))
    assert codes == ["walk.mdm", "walk.reference", "a-person-waves.mdm"]
    assert study.samples.count() == 3
    assert Generator.objects.get(name="reference").is_reference
    assert not Generator.objects.get(name="mdm").is_reference
    assert Prompt.objects.get(code="a-person-waves").text_hash == prompt_text_hash(WAVE)
    motion = Sample.objects.get(code="walk.mdm").motion
    assert (motion.frames, motion.fps, motion.source) == (6, 20.0, "mdm/a.npy")
    assert stored(files) == sorted(f"{motion.content_hash}.npy" for motion in Motion.objects.all())
    kept = read_motion(files / str(motion.file), fps=20)
    np.testing.assert_array_equal(kept.joints, joints())


def test_json_lines_are_a_manifest_too(study: Study, walk: Prompt, tmp_path: Path) -> None:
    text = jsonl({"file": "a.npy", "prompt": "walk", "generator": "mdm", "fps": 20, "up": None})
    manifest = folder_of(tmp_path / "in", text, {"a.npy": npy(joints())}, name="m.jsonl")
    assert bring(study, manifest).counts.created == 1


def test_every_format_is_read_with_its_own_rate_and_axis(study: Study, walk: Prompt, tmp_path: Path) -> None:
    rows = ["a.npy,walk,a", "b.npz,walk,b", "c.bvh,walk,c", "d.npz,walk,d"]
    contents = {"a.npy": npy(joints()), "b.npz": npz(joints=joints(1), fps=25.0), "c.bvh": bvh(), "d.npz": amass()}
    result = bring_rows(study, tmp_path / "in", rows, contents)
    assert result.problems == ()
    rates = dict(Sample.objects.values_list("generator__name", "motion__fps"))
    assert {name: round(fps) for name, fps in rates.items()} == {"a": 20, "b": 25, "c": 30, "d": 60}


def test_rate_axis_and_units_are_taken_from_the_line(study: Study, walk: Prompt, tmp_path: Path) -> None:
    lying = joints()[..., [0, 2, 1]] * np.array([1, -1, 1], np.float32) * 100
    result = bring_rows(study, tmp_path / "in", ["a.npy,walk,mdm,30,Z,cm"], {"a.npy": npy(lying)})
    assert result.problems == ()
    motion = Motion.objects.get()
    assert motion.fps == 30
    with motion.file.open() as file:
        np.testing.assert_allclose(np.load(file), joints(), atol=1e-5)


@pytest.mark.skipif(not (SHARED / "generated").exists(), reason=NO_SHARED)
def test_the_real_generated_motions_come_in(study: Study, tmp_path: Path) -> None:
    folder = SHARED / "generated"
    names = ["mdm_fork_running_circle.npy", *(f"mdm_fork_toolbox_rep{number}.npy" for number in range(3))]
    names += sorted(path.name for path in folder.glob("*_vecs263.npy"))[:3]
    texts = ["A person is running in circle", *["a man picks up a toolbox."] * 3, *["a person dances."] * 3]
    rows = [f"{name},{text},mdm" for name, text in zip(names, texts, strict=True)]
    manifest = folder_of(tmp_path / "in", csv(*rows), {})
    with manifest.open("rb") as file:
        upload = manifest_opened(file, manifest.name)
    result = motions_import(study=study, manifest=upload, files=FolderFiles(folder), actor=ME, plan_clips=False)
    assert result.problems == ()
    assert (result.counts.created, result.counts.prompts) == (7, 3)
    toolbox = Sample.objects.filter(prompt__text__contains="toolbox").values_list("code", flat=True)
    assert [code.split(".")[1:] for code in toolbox] == [["mdm"], ["mdm", "2"], ["mdm", "3"]]


def test_a_recording_may_have_several_captions(study: Study, walk: Prompt, tmp_path: Path) -> None:
    GeneratorFactory(name="cmu", is_reference=True)
    rows = ["a.npy,walk,cmu", f"a.npy,{WAVE},cmu"]
    result = bring_rows(study, tmp_path / "in", rows, {"a.npy": npy(joints())})
    assert (result.problems, result.notes) == ((), [])
    assert (result.counts.created, result.counts.motions) == (2, 1)


def test_other_motions_of_a_prompt_and_generator_are_repetitions(study: Study, walk: Prompt, tmp_path: Path) -> None:
    motion = motion_store(trajectory=trajectory_from_array(joints(9), fps=20), source="")
    sample_create(prompt=walk, generator=GeneratorFactory(name="mdm"), motion=motion, actor=ME)
    rows = ["a.npy,walk,mdm", "b.npy,walk,mdm"]
    bring_rows(study, tmp_path / "in", rows, {"a.npy": npy(joints()), "b.npy": npy(joints(1))})
    assert set(Sample.objects.values_list("code", flat=True)) == {"walk.mdm", "walk.mdm.2", "walk.mdm.3"}


def test_a_code_is_never_given_twice_even_after_a_deletion(study: Study, walk: Prompt, tmp_path: Path) -> None:
    rows = ["a.npy,walk,mdm", "b.npy,walk,mdm"]
    contents = {"a.npy": npy(joints()), "b.npy": npy(joints(1)), "c.npy": npy(joints(2))}
    bring_rows(study, tmp_path / "in", rows, contents)
    StudySample.objects.filter(sample__code="walk.mdm").delete()
    Sample.objects.filter(code="walk.mdm").delete()
    assert bring_rows(study, tmp_path / "in", ["c.npy,walk,mdm"], contents).counts.created == 1
    assert set(Sample.objects.values_list("code", flat=True)) == {"walk.mdm.2", "walk.mdm.3"}


# --- Prompts ----------------------------------------------------------------------------------------------------------


def test_a_text_that_stands_twice_makes_one_prompt(study: Study, tmp_path: Path) -> None:
    rows = [f"a.npy,{WAVE},mdm", f"b.npy,  {WAVE} ,t2m"]
    result = bring_rows(study, tmp_path / "in", rows, {"a.npy": npy(joints()), "b.npy": npy(joints(1))})
    assert result.counts.prompts == 1
    assert Prompt.objects.get().text == WAVE


def test_codes_of_new_prompts_are_short_free_and_always_the_same(study: Study, walk: Prompt, tmp_path: Path) -> None:
    prompt_create(code="a-person-waves", text="something else", actor=ME)
    long = "a person " + "walks and walks and " * 20 + "stops"
    texts = [WAVE, long, "export  .", "一个人走路"]
    rows = [f"{number}.npy,{text},mdm" for number, text in enumerate(texts)]
    contents = {f"{number}.npy": npy(joints(number)) for number in range(4)}
    bring_rows(study, tmp_path / "in", rows, contents)
    codes = {prompt.text: prompt.code for prompt in Prompt.objects.all()}
    assert codes[WAVE] == f"a-person-waves-{prompt_text_hash(WAVE)[:8]}"
    assert codes[long] == f"a-person-walks-and-walks-and-walks-and-w-{prompt_text_hash(long)[:8]}"
    assert codes["export  ."].startswith("export-")
    assert codes["一个人走路"].startswith("prompt-")


def test_a_word_that_is_no_code_is_a_problem_and_near_codes_are_offered(
    study: Study, walk: Prompt, tmp_path: Path
) -> None:
    result = bring_rows(study, tmp_path / "in", ["a.npy,wlak,mdm"], {"a.npy": npy(joints())})
    assert problems(result) == [(2, "prompt")]
    assert result.problems[0].found == "'wlak'; close to it: walk"


def test_a_text_of_several_corpora_is_a_problem_that_names_the_codes(study: Study, tmp_path: Path) -> None:
    prompt_create(code="hml-1", text=WALK, corpus="hml", actor=ME)
    prompt_create(code="kit-1", text=WALK, corpus="kit", actor=ME)
    rows = [f"a.npy,{WALK},mdm", "b.npy,kit-1,mdm"]
    result = bring_rows(study, tmp_path / "in", rows, {"a.npy": npy(joints()), "b.npy": npy(joints(1))})
    assert problems(result) == [(2, "prompt")]
    assert "hml-1, kit-1" in result.problems[0].expected


# --- Errors, each with its line ---------------------------------------------------------------------------------------

NAN = joints()
NAN[3, 2, 1] = np.nan
BAD_FILES = {
    "missing": (None, "", "file", "a file that is there"),
    "pickled": (pickled(), "", "file", "pickled"),
    "cut": (npy(joints())[:-100], "", "file", "truncated"),
    "empty": (b"", "", "file", "empty"),
    "24 joints": (npy(np.zeros((6, 24, 3), np.float32)), "", "file", "(6, 24, 3)"),
    "whole numbers": (npy(np.zeros((6, 22, 3), np.int64)), "", "file", "int64"),
    "not a number": (npy(NAN), "", "file", "frame 3, joint 2"),
    "wrong axis": (npy(joints()[..., [0, 2, 1]] * np.array([1, -1, 1])), "", "up", "up z would fit"),
    "centimetres": (npy(joints() * 100), "", "units", "units cm would fit"),
    "no frames a second": (npy(joints()), "0", "fps", "above 0"),
    "too many frames a second": (npy(joints()), "500", "fps", "500"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_motion_that_cannot_be_used_is_named_with_its_line_and_column(
    study: Study, walk: Prompt, tmp_path: Path, files: Path, case: str
) -> None:
    content, fps, field, said = BAD_FILES[case]
    contents = {"good.npy": npy(joints(5))} | ({} if content is None else {"bad.npy": content})
    before = everything()
    result = bring_rows(study, tmp_path / "in", ["good.npy,walk,mdm", f"bad.npy,walk,mdm,{fps}"], contents)
    assert problems(result) == [(3, field)]
    assert said in f"{result.problems[0].expected} {result.problems[0].found}"
    assert "touchstone-" not in f"{result.problems[0]}"  # no folder of ours
    assert everything() == before
    assert stored(files) == []


def test_a_rate_that_contradicts_the_file_is_refused(study: Study, walk: Prompt, tmp_path: Path) -> None:
    result = bring_rows(study, tmp_path / "in", ["a.bvh,walk,mdm,20"], {"a.bvh": bvh()})
    assert problems(result) == [(2, "fps")]
    assert result.problems[0].found.startswith("20")


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (",walk,mdm", "file"),
        ("a.npy,,mdm", "prompt"),
        ("a.npy,walk,", "generator"),
        ("a.npy,walk,two words", "generator"),
        ("a.npy,walk,mdm,fast", "fps"),
        ("a.npy,walk,mdm,20,x", "up"),
        ("a.npy,walk,mdm,20,y,feet", "units"),
        ("a.mp4,walk,mdm", "file"),
        ("a.npy,walk,MDM", "generator"),
    ],
)
def test_a_cell_that_makes_no_sense_is_named(study: Study, walk: Prompt, tmp_path: Path, row: str, field: str) -> None:
    GeneratorFactory(name="mdm")
    result = bring_rows(study, tmp_path / "in", [row], {"a.npy": npy(joints()), "a.mp4": b"film"})
    assert problems(result) == [(2, field)]


def test_all_lines_are_checked_and_listed_in_their_order(study: Study, walk: Prompt, tmp_path: Path) -> None:
    rows = ["none.npy,walk,mdm", "a.npy,nothing,mdm", "a.npy,walk,m d m", "b.npy,walk,mdm", "c.npy,walk,mdm,-1"]
    contents = {"a.npy": npy(joints()), "b.npy": pickled(), "c.npy": npy(joints(2))}
    result = bring_rows(study, tmp_path / "in", rows, contents)
    assert problems(result) == [(2, "file"), (3, "prompt"), (4, "generator"), (5, "file"), (6, "fps")]


def test_reading_stops_after_a_hundred_problems(study: Study, walk: Prompt, tmp_path: Path) -> None:
    result = bring_rows(study, tmp_path / "in", [f"{number}.npy,walk,mdm" for number in range(150)], {})
    assert (len(result.problems), result.stopped_at) == (100, 101)


def test_a_file_that_is_not_there_is_looked_for_under_near_names(study: Study, walk: Prompt, tmp_path: Path) -> None:
    contents = {"mdm/walk_01.npy": npy(joints())}
    result = bring_rows(study, tmp_path / "in", ["mdm/walk_1.npy,walk,mdm"], contents)
    assert "mdm/walk_01.npy" in result.problems[0].found


@pytest.mark.parametrize("other", ["walk,t2m", f"{WAVE},mdm", "walk,mdm,30"])
def test_a_file_named_twice_for_different_things_is_refused(
    study: Study, walk: Prompt, tmp_path: Path, other: str
) -> None:
    rows = ["a.npy,walk,mdm", f"./a.npy,{other}"]
    result = bring_rows(study, tmp_path / "in", rows, {"a.npy": npy(joints())})
    assert problems(result) == [(3, "file")]
    assert "line 2" in result.problems[0].found


def test_the_same_motion_in_two_files_is_worth_a_note(study: Study, walk: Prompt, tmp_path: Path) -> None:
    rows = ["a.npy,walk,mdm", "b.npy,walk,mdm", "c.npy,walk,t2m"]
    result = bring_rows(study, tmp_path / "in", rows, dict.fromkeys(("a.npy", "b.npy", "c.npy"), npy(joints())))
    assert result.problems == ()
    assert result.counts.created == 2
    assert [note.split(":")[0] for note in result.notes] == ["Line 3", "Line 4"]


@pytest.mark.parametrize("path", ["../secret.npy", "/etc/passwd.npy", "a/../../secret.npy", "..\\secret.npy"])
def test_a_path_cannot_leave_the_folder(study: Study, walk: Prompt, tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.npy").write_bytes(npy(joints()))
    result = bring_rows(study, tmp_path / "in", [f"{path},walk,mdm"], {})
    assert problems(result) == [(2, "file")]
    assert "below the manifest's folder" in result.problems[0].expected


def test_a_link_cannot_leave_the_folder_and_one_inside_it_is_followed(
    study: Study, walk: Prompt, tmp_path: Path
) -> None:
    (tmp_path / "secret.npy").write_bytes(npy(joints()))
    rows = ["in.npy,walk,mdm", "out.npy,walk,mdm", "deep/x.npy,walk,mdm"]
    manifest = folder_of(tmp_path / "in", csv(*rows), {"real.npy": npy(joints())})
    (tmp_path / "in" / "in.npy").symlink_to("real.npy")
    (tmp_path / "in" / "out.npy").symlink_to("../secret.npy")
    (tmp_path / "in" / "deep").symlink_to(tmp_path)
    result = bring(study, manifest)
    assert problems(result) == [(3, "file"), (4, "file")]
    assert "link out of it" in result.problems[0].found


@pytest.mark.parametrize("text", ["", "name,text\n", "file,prompt\na.npy,walk\n", 'file,prompt,generator\n"a'])
def test_a_table_that_is_no_manifest_says_what_was_expected(study: Study, tmp_path: Path, text: str) -> None:
    assert len(problems(bring(study, folder_of(tmp_path / "in", text, {})))) == 1


def test_a_manifest_without_lines_does_nothing_and_says_so(study: Study, tmp_path: Path) -> None:
    result = bring(study, folder_of(tmp_path / "in", csv(), {}))
    assert result.counts.created == 0
    assert result.notes == ["The manifest has no lines below its header."]


# --- Twice is once ----------------------------------------------------------------------------------------------------

ROWS = ["a.npy,walk,mdm", f"b.npy,{WAVE},mdm"]
CONTENTS = {"a.npy": npy(joints()), "b.npy": npy(joints(1))}


def test_the_same_again_changes_nothing_at_all(study: Study, walk: Prompt, tmp_path: Path, files: Path) -> None:
    bring_rows(study, tmp_path / "in", ROWS, CONTENTS, plan_clips=True)
    before, names = everything(), stored(files)
    result = bring_rows(study, tmp_path / "in", ROWS, CONTENTS, plan_clips=True)
    assert result.counts == importing.MotionCounts(unchanged=2)
    assert everything() == before
    assert stored(files) == names


def test_a_sample_of_another_study_is_placed_in_this_one_too(study: Study, walk: Prompt, tmp_path: Path) -> None:
    bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    other = StudyFactory(code="other")
    result = bring_rows(other, tmp_path / "in", ROWS, CONTENTS)
    assert result.counts == importing.MotionCounts(placed=2)
    assert Sample.objects.count() == 2
    assert other.samples.count() == 2


def test_a_sample_that_was_replaced_stays_replaced(study: Study, walk: Prompt, tmp_path: Path) -> None:
    bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    StudySample.objects.filter(sample__code="walk.mdm").update(is_active=False)
    result = bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    assert result.counts.unchanged == 2
    assert "walk.mdm" in result.notes[0]
    assert StudySample.objects.filter(is_active=False).count() == 1


def test_a_file_that_storage_lost_comes_back(study: Study, walk: Prompt, tmp_path: Path, files: Path) -> None:
    bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    names = stored(files)
    next(files.rglob("*.npy")).unlink()
    bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    assert stored(files) == names


# --- Nothing by halves ------------------------------------------------------------------------------------------------


def test_a_dry_run_counts_and_leaves_neither_rows_nor_files(
    study: Study, walk: Prompt, tmp_path: Path, files: Path
) -> None:
    before = everything()
    dry = bring_rows(study, tmp_path / "in", ROWS, CONTENTS, dry_run=True, plan_clips=True)
    assert everything() == before
    assert stored(files) == []
    assert dry.clips_waiting is None
    wet = bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    assert dry.counts == wet.counts
    assert dry.new_prompts == wet.new_prompts


def fail(*_: object, **__: object) -> None:
    raise DatabaseError("the disk is full")


def test_a_failure_in_the_transaction_leaves_neither_rows_nor_files(
    study: Study, walk: Prompt, tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = motion_store(trajectory=trajectory_from_array(joints(), fps=20), source="")
    before, names = everything(), stored(files)
    monkeypatch.setattr(importing, "audit_record", fail)
    with pytest.raises(DatabaseError):
        bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    assert everything() == before
    assert stored(files) == names == [Path(str(kept.file)).name]


def test_a_failure_while_files_are_stored_leaves_none(
    study: Study, walk: Prompt, tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = arrivals._store

    def store_first(motion: ArrivedMotion) -> None:
        if motion.source == "b.npy":
            raise OSError("no space left")
        store(motion)

    monkeypatch.setattr(arrivals, "_store", store_first)
    before = everything()
    with pytest.raises(OSError, match="no space"):
        bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    assert everything() == before
    assert stored(files) == []


def test_files_that_another_import_made_rows_for_are_left_alone(files: Path, tmp_path: Path) -> None:
    trajectory = trajectory_from_array(joints(), fps=20)
    arrived = arrive(trajectory, tmp_path)

    def be_overtaken() -> None:
        with arrivals.motion_files_stored([arrived]):
            motion_store(trajectory=trajectory, source="the other import")
            raise ImportOvertaken

    with pytest.raises(ImportOvertaken):
        be_overtaken()
    assert stored(files) == [f"{trajectory.content_hash}.npy"]


def test_a_file_that_a_failed_import_took_away_is_put_back(files: Path, tmp_path: Path) -> None:
    trajectory = trajectory_from_array(joints(), fps=20)
    arrived = arrive(trajectory, tmp_path)
    (files / arrived.name).parent.mkdir(parents=True)
    (files / arrived.name).write_bytes(arrived.path.read_bytes())
    with arrivals.motion_files_stored([arrived]) as found:
        (files / arrived.name).unlink()
        arrivals.motions_create([arrived], found=found)
    assert stored(files) == [f"{trajectory.content_hash}.npy"]


def arrive(trajectory: Any, folder: Path) -> ArrivedMotion:
    path = folder / "aside.npy"
    path.write_bytes(npy(trajectory.joints))
    return ArrivedMotion(trajectory.content_hash, path, trajectory.frames, trajectory.fps, source="a.npy")


def test_whoever_writes_the_same_rows_in_between_is_noticed(
    study: Study, walk: Prompt, tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = importing.plan_make

    def plan_and_be_overtaken(*args: Any) -> Any:
        made = plan(*args)
        prompt_create(code="mine", text=WAVE, actor=ME)
        return made

    monkeypatch.setattr(importing, "plan_make", plan_and_be_overtaken)
    with pytest.raises(ImportOvertaken, match="Nothing of this import was kept"):
        bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    assert not Sample.objects.exists()
    assert stored(files) == []


def test_the_number_of_queries_does_not_grow_with_the_lines(study: Study, walk: Prompt, tmp_path: Path) -> None:
    def queries(first: int, last: int) -> int:
        rows = [f"{number}.npy,walk,mdm{number % 3}" for number in range(first, last)]
        contents = {f"{number}.npy": npy(joints(number, frames=1)) for number in range(first, last)}
        manifest = folder_of(tmp_path / f"{first}", csv(*rows), contents)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert bring(study, manifest).counts.created == last - first
        return len(captured)

    queries(0, 3)  # registers the generators
    assert queries(3, 6) == queries(6, 46)


# --- The study --------------------------------------------------------------------------------------------------------


def test_a_closed_study_takes_nothing(study: Study, walk: Prompt, tmp_path: Path) -> None:
    study.state = StudyState.CLOSED
    study.save()
    for dry_run in (True, False):
        with pytest.raises(StudyClosed, match="Nothing was kept"):
            bring_rows(study, tmp_path / "in", ROWS, CONTENTS, dry_run=dry_run)


def test_a_study_that_closes_meanwhile_takes_nothing(study: Study, walk: Prompt, tmp_path: Path, files: Path) -> None:
    Study.objects.update(state=StudyState.CLOSED)  # `study` does not know
    with pytest.raises(StudyClosed):
        bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    assert stored(files) == []


@pytest.mark.parametrize("state", [StudyState.PILOT, StudyState.LIVE, StudyState.PAUSED])
def test_a_study_under_way_takes_samples(study: Study, walk: Prompt, tmp_path: Path, state: StudyState) -> None:
    study.state = state
    study.save()
    assert bring_rows(study, tmp_path / "in", ROWS, CONTENTS).counts.created == 2


def test_clips_are_planned_when_wanted_and_only_then(
    study: Study, walk: Prompt, tmp_path: Path, django_capture_on_commit_callbacks: Any, doorbells: list[Any]
) -> None:
    assert bring_rows(study, tmp_path / "in", ROWS, CONTENTS).clips_waiting is None
    assert not Clip.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        assert bring_rows(study, tmp_path / "in", ROWS, CONTENTS, plan_clips=True).clips_waiting == 2
    assert RenderJob.objects.count() == 2
    assert {bell.task for bell in doorbells} == {"rendering.tasks.render_next"}
    assert len(study_plan_clips(study=study, actor=ME)) == 2


def test_who_imported_what_stands_in_the_audit_log(study: Study, walk: Prompt, tmp_path: Path) -> None:
    bring_rows(study, tmp_path / "in", ROWS, CONTENTS)
    (event,) = AuditEvent.objects.filter(action="study.motions_imported")
    assert event.actor == ME
    assert event.subject == f"annotation.study:{study.pk}"
    assert {name: event.details[name] for name in ("created", "prompts", "motions")} == {
        "created": 2,
        "prompts": 1,
        "motions": 2,
    }
    assert len(event.details["file_sha256"]) == 64
    for action in ("sample.created", "prompt.created", "generator.registered", "study.samples_added"):
        assert AuditEvent.objects.filter(action=action, actor=ME).exists(), action


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_make_each_sample_once(study: Study, tmp_path: Path, files: Path) -> None:
    rows = [f"{number}.npy,{WAVE},mdm" for number in range(8)]
    contents = {f"{number}.npy": npy(joints(number, frames=2)) for number in range(8)}
    manifest = folder_of(tmp_path / "in", csv(*rows), contents)
    start = Barrier(3)

    def import_it() -> int:
        start.wait()
        try:
            return bring(study, manifest).counts.created
        except ImportOvertaken:
            return bring(study, manifest).counts.created
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        created = [future.result() for future in [pool.submit(import_it) for _ in range(3)]]
    assert sorted(created) == [0, 0, 8]
    assert Sample.objects.count() == Motion.objects.count() == len(stored(files)) == 8
    assert Prompt.objects.count() == Generator.objects.count() == 1
