"""The same model in two Python libraries: 800 conditions, 1,500 findings, ten of them known of one patient.

Prints, as one JSON object, the microseconds of:
  scikit_posterior_us  BernoulliNB.predict_proba for the patient, nothing else
  scikit_turn_us       the same and the next question: the finding whose answer is expected to leave the least doubt,
                       as one batch of predict_proba over both answers of every open finding
  pgmpy_posterior_us   VariableElimination.query for the patient, nothing else
  pgmpy_turn_us        the same and the next question, one query for each answer; measured on every fifteenth open finding
                       and multiplied
Each is the quickest of a few rounds, on one core.
"""

import json
import logging
import time
import warnings

warnings.filterwarnings("ignore")

import numpy as np
from pgmpy.factors.discrete import TabularCPD
from pgmpy.inference import VariableElimination
from pgmpy.models import DiscreteBayesianNetwork
from sklearn.naive_bayes import BernoulliNB

CONDITIONS = 800
FINDINGS = 1500
LISTED = 25
KNOWN = 10
SAMPLED = 15

logging.disable(logging.WARNING)
random = np.random.default_rng(1)

# A finding is rare unless the condition lists it.
likelihood = np.tile(random.uniform(0.01, 0.08, FINDINGS), (CONDITIONS, 1))
for row in likelihood:
    row[random.choice(FINDINGS, LISTED, replace=False)] = random.uniform(0.05, 0.95, LISTED)
prior = random.uniform(0.1, 3.0, CONDITIONS)
prior /= prior.sum()
known = random.choice(FINDINGS, KNOWN, replace=False)


def quickest_us(work, rounds):
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times) * 1e6


def scikit():
    model = BernoulliNB()
    model.classes_ = np.arange(CONDITIONS)
    model.n_features_in_ = FINDINGS
    model.class_log_prior_ = np.log(prior)
    model.feature_log_prob_ = np.log(likelihood)
    patient = np.zeros((1, FINDINGS))
    patient[0, known] = 1
    open_findings = np.setdiff1d(np.arange(FINDINGS), known)

    def posterior():
        return model.predict_proba(patient)[0]

    def turn():
        now = posterior()
        yes = np.repeat(patient, len(open_findings), axis=0)
        yes[np.arange(len(open_findings)), open_findings] = 1
        no = np.repeat(patient, len(open_findings), axis=0)
        after = model.predict_proba(np.concatenate([yes, no]))
        doubt = -(after * np.log(after + 1e-12)).sum(axis=1)
        chance = now @ likelihood[:, open_findings]
        expected = chance * doubt[: len(open_findings)] + (1 - chance) * doubt[len(open_findings) :]
        return open_findings[expected.argmin()]

    return quickest_us(posterior, 50), quickest_us(turn, 3)


def pgmpy():
    model = DiscreteBayesianNetwork([("condition", f"s{place}") for place in range(FINDINGS)])
    model.add_cpds(TabularCPD("condition", CONDITIONS, prior.reshape(-1, 1)))
    for place in range(FINDINGS):
        present = likelihood[:, place]
        model.add_cpds(
            TabularCPD(f"s{place}", 2, np.stack([1 - present, present]), ["condition"], [CONDITIONS])
        )
    inference = VariableElimination(model)
    evidence = {f"s{place}": 1 for place in known}
    open_findings = np.setdiff1d(np.arange(FINDINGS), known)[::SAMPLED]

    def posterior(evidence):
        return inference.query(["condition"], evidence, show_progress=False).values

    def questions():
        best = None
        now = posterior(evidence)
        for place in open_findings:
            chance = now @ likelihood[:, place]
            doubt = 0
            for answer, weight in ((1, chance), (0, 1 - chance)):
                after = posterior({**evidence, f"s{place}": answer})
                doubt -= weight * (after * np.log(after + 1e-12)).sum()
            best = min(best or (doubt, place), (doubt, place))
        return best

    posterior_us = quickest_us(lambda: posterior(evidence), 10)
    return posterior_us, quickest_us(questions, 1) * SAMPLED


scikit_posterior_us, scikit_turn_us = scikit()
pgmpy_posterior_us, pgmpy_turn_us = pgmpy()
print(
    json.dumps(
        {
            "scikit_posterior_us": scikit_posterior_us,
            "scikit_turn_us": scikit_turn_us,
            "pgmpy_posterior_us": pgmpy_posterior_us,
            "pgmpy_turn_us": pgmpy_turn_us,
        }
    )
)
