from django.db import migrations

from config.constraints import AddRule, Rule, frozen


class Migration(migrations.Migration):
    dependencies = [("metaeval", "0001_initial"), ("annotation", "0002_rules")]
    operations = [
        *frozen("metaeval_report", what="a report"),
        *(
            AddRule(
                Rule(
                    f"analysis_uses_frozen_labels_{event.lower()}",
                    "metaeval_analysis",
                    event,
                    "the label set is not frozen",
                    "EXISTS (SELECT 1 FROM annotation_labelset WHERE id = NEW.label_set_id AND frozen_at IS NULL)",
                )
            )
            for event in ("INSERT", "UPDATE")
        ),
        *(
            AddRule(
                Rule(
                    f"score_fits_its_metric_{event.lower()}",
                    "metaeval_score",
                    event,
                    "a metric of generators has no score on a sample",
                    "NEW.sample_id IS NOT NULL AND EXISTS"
                    " (SELECT 1 FROM metaeval_metric WHERE id = NEW.metric_id AND level <> 'sample')",
                )
            )
            for event in ("INSERT", "UPDATE")
        ),
    ]
