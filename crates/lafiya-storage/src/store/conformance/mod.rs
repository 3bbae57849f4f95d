//! The conformance suite of the store: one list of behaviours, run against each database.
//!
//! The SQLite tests always run, each in its own directory. The PostgreSQL tests run if
//! `LAFIYA_TEST_POSTGRES_URL` is set, each in its own schema; with `LAFIYA_TEST_BACKENDS=all` a
//! missing URL is a failure. A test gets the store and may open further replicas of it.

mod accounts;
mod adverse_events;
mod assessments;
mod backup;
mod concurrency;
mod faults;
mod given;
mod keeping;
mod keys;
mod rights;
mod scale;
mod sealing;
mod tenants;
mod usage;
mod webhooks;

/// Creates a test of each behaviour for each database.
macro_rules! behaviours {
    ($($area:ident::$name:ident),+ $(,)?) => {
        mod on_sqlite {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let given = super::given::Given::sqlite().await;
                super::$area::$name(&given).await;
                given.finish().await;
            }
        )+}

        mod on_postgres {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let Some(given) = super::given::Given::postgres().await else { return };
                super::$area::$name(&given).await;
                given.finish().await;
            }
        )+}
    };
}

behaviours! {
    tenants::a_tenant_is_found_by_id_and_by_name,
    tenants::a_name_is_given_once,
    tenants::a_tenant_can_be_suspended_and_sold_another_tier,
    tenants::the_home_country_of_a_tenant_can_be_set_and_taken_away,
    tenants::an_unknown_tenant_is_not_found,
    tenants::every_administrative_act_is_logged_with_its_actor,
    tenants::the_first_start_happens_once_among_replicas,
    keys::a_key_is_found_by_its_hash_with_its_tenant,
    keys::a_key_needs_a_tenant_and_a_hash_of_its_own,
    keys::revoking_is_for_good_and_revoking_again_changes_nothing,
    keys::rotating_revokes_the_old_key_and_remembers_it,
    keys::a_revoked_expired_or_foreign_key_is_not_rotated,
    keys::uses_of_keys_add_up_and_time_does_not_go_back,
    accounts::an_address_is_one_account_in_all_tenants,
    accounts::only_the_own_tenant_changes_a_member,
    accounts::a_session_lives_until_it_ends_idles_or_expires,
    accounts::attempts_are_taken_up_to_their_bound_and_counted_anew_when_it_ends,
    accounts::a_right_attempt_is_given_back_and_a_new_password_forgets_them_all,
    accounts::a_session_may_set_a_password_without_the_old_one_once_and_for_a_while,
    accounts::a_new_password_ends_the_other_sessions,
    accounts::a_link_and_a_code_work_once,
    keeping::the_probe_writes_and_reads_again_and_again,
    keeping::every_replica_gets_the_same_secret,
    keeping::a_phrase_table_is_stored_once,
    keeping::purging_removes_the_expired_and_nothing_else,
    keeping::assessments_are_kept_as_long_as_the_operator_says,
    keeping::sandbox_assessments_are_kept_for_days_and_within_a_budget,
    keeping::everything_is_there_after_opening_again,
    keeping::a_closed_store_is_unavailable,
    keeping::replicas_can_start_at_once,
    assessments::an_assessment_reads_back_as_recorded,
    assessments::nothing_is_seen_by_another_tenant_or_environment,
    assessments::an_interview_goes_on_turn_by_turn,
    assessments::what_is_replaced_says_by_what_and_stays_as_it_was,
    assessments::a_turn_out_of_order_is_refused_and_leaves_nothing,
    assessments::an_interview_ends_after_a_day_and_can_begin_anew,
    assessments::an_idempotency_key_is_taken_once_while_it_lives,
    assessments::pages_follow_one_another_without_gap_or_overlap,
    assessments::an_id_is_used_once,
    assessments::an_unknown_tenant_or_key_records_nothing,
    usage::an_interview_is_counted_once_under_its_last_level_and_condition,
    usage::the_sandbox_and_the_unbillable_are_not_counted,
    usage::an_interview_first_free_is_counted_when_it_becomes_billable,
    usage::a_used_up_quota_refuses_or_goes_on_as_the_rule_says,
    usage::interviews_answered_beyond_the_quota_are_counted_as_over_quota,
    usage::thresholds_are_announced_once_a_month,
    usage::a_report_covers_its_days_and_names_ten_conditions,
    usage::what_was_counted_earlier_in_the_month_is_told_apart,
    rights::a_tenant_takes_everything_away_and_nothing_of_others,
    rights::an_erased_tenant_leaves_nothing_but_the_log,
    rights::the_log_of_acts_cannot_be_changed_or_shortened,
    sealing::sealed_documents_read_back_and_do_not_lie_in_the_clear,
    sealing::a_start_without_a_needed_data_key_is_noticed,
    sealing::everything_is_sealed_anew_under_another_key,
    sealing::the_secret_of_one_time_codes_is_sealed_and_sealed_anew,
    sealing::the_secrets_of_a_webhook_are_sealed_and_sealed_anew,
    scale::a_report_over_a_million_assessments_costs_what_one_over_a_thousand_does,
    concurrency::the_last_of_a_quota_are_given_out_exactly,
    concurrency::of_many_rotations_one_succeeds,
    concurrency::of_many_attempts_at_once_only_the_bound_is_taken,
    concurrency::of_many_same_turns_one_succeeds,
    concurrency::of_many_same_idempotency_keys_one_succeeds,
    concurrency::one_that_fails_in_a_group_fails_alone,
    concurrency::many_tenants_at_once_wait_in_no_circle,
    concurrency::thresholds_are_announced_once_among_replicas,
    webhooks::a_webhook_is_registered_listed_read_and_removed,
    webhooks::an_event_is_delivered_to_those_who_ask_for_it,
    webhooks::an_event_that_nobody_listens_to_is_not_kept,
    webhooks::a_claim_is_nobody_elses_until_its_lease_is_over,
    webhooks::a_failed_attempt_is_made_again_when_it_is_due,
    webhooks::a_receiver_that_is_gone_gets_nothing_more,
    webhooks::two_secrets_sign_until_the_old_one_ends,
    webhooks::a_long_queue_of_one_tenant_holds_up_no_other,
    webhooks::the_next_tenant_in_the_circle_comes_first,
    webhooks::replicas_share_deliveries_without_overlap,
    webhooks::what_is_over_is_purged_and_what_waits_is_kept,
    adverse_events::an_adverse_event_is_kept_and_announced,
    adverse_events::an_adverse_event_needs_an_assessment_of_its_own_tenant,
    adverse_events::a_chore_is_one_replicas_at_a_time,
    adverse_events::of_many_replicas_one_begins_a_chore,
    adverse_events::a_key_that_expires_is_announced_once,
}
