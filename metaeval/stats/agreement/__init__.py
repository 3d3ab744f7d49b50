"""How far raters agree: alpha, kappas, Gwet's coefficients, percent agreement, ICC, and each rater by themselves.

Everything takes a (raters, units) array with NaN where a rater gave no rating. A unit is a sample.
"""

from metaeval.stats.agreement.alpha import Measurement, krippendorff_alpha
from metaeval.stats.agreement.alpha_bootstrap import alpha_replicates
from metaeval.stats.agreement.alpha_raters import RaterUncertainty, alpha_over_raters
from metaeval.stats.agreement.gwet import gwet_ac1, gwet_ac2
from metaeval.stats.agreement.icc import IccEstimate, icc_one_way, icc_two_way
from metaeval.stats.agreement.kappa import CohenKappa, PairKappa, cohen_kappa, fleiss_kappa
from metaeval.stats.agreement.percent import percent_agreement
from metaeval.stats.agreement.raters import (
    AgreementMatrix,
    OracleRow,
    RaterSummary,
    SelfConsistency,
    agreement_matrix,
    rater_summaries,
    raters_against_oracle,
    self_consistency,
)
from metaeval.stats.agreement.summary import STATISTICS, AgreementEstimate, agreement_summary

__all__ = [
    "STATISTICS",
    "AgreementEstimate",
    "AgreementMatrix",
    "CohenKappa",
    "IccEstimate",
    "Measurement",
    "OracleRow",
    "PairKappa",
    "RaterSummary",
    "RaterUncertainty",
    "SelfConsistency",
    "agreement_matrix",
    "agreement_summary",
    "alpha_over_raters",
    "alpha_replicates",
    "cohen_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "icc_one_way",
    "icc_two_way",
    "krippendorff_alpha",
    "percent_agreement",
    "rater_summaries",
    "raters_against_oracle",
    "self_consistency",
]
