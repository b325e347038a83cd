"""Everything that may be asked of the database, in one place."""
from heat.db.change_set import change_set_create
from heat.db.change_set import change_set_delete
from heat.db.change_set import change_set_delete_older
from heat.db.change_set import change_set_get
from heat.db.change_set import change_set_get_all
from heat.db.change_set import change_set_get_in_progress
from heat.db.change_set import change_set_update
from heat.db.drift import drift_create
from heat.db.drift import drift_delete_beyond
from heat.db.drift import drift_delete_older
from heat.db.drift import drift_get
from heat.db.drift import drift_get_due
from heat.db.drift import drift_get_latest
from heat.db.drift import drift_get_previous
from heat.db.drift import drift_get_running
from heat.db.drift import drift_schedule_get
from heat.db.drift import drift_schedule_get_due
from heat.db.drift import drift_schedule_set
from heat.db.drift import drift_update
from heat.db.encryption import ENCRYPTED_NAMES
from heat.db.encryption import decrypt_parameters_and_properties
from heat.db.encryption import decrypted_environment
from heat.db.encryption import encrypt_parameters_and_properties
from heat.db.encryption import encrypted_environment
from heat.db.event import event_count_all_by_stack
from heat.db.event import event_create
from heat.db.event import event_create_many
from heat.db.event import event_get_all_by_stacks
from heat.db.event import event_get_all_by_tenant
from heat.db.event import event_purge_excess
from heat.db.event_feed import event_get_by_ids
from heat.db.event_feed import event_get_ids_in
from heat.db.event_feed import event_get_last_id
from heat.db.event_feed import event_get_newest_ids
from heat.db.event_feed import stack_get_places_above
from heat.db.event_feed import stack_get_places_below
from heat.db.export import export_delete_all
from heat.db.export import export_get
from heat.db.export import export_get_all
from heat.db.export import export_get_importers
from heat.db.export import export_get_stacks_with_any
from heat.db.export import export_replace
from heat.db.export import export_require_free
from heat.db.export import export_require_kept
from heat.db.export import import_add
from heat.db.properties_data import resource_prop_data_create_many
from heat.db.properties_data import resource_prop_data_delete_unused
from heat.db.properties_data import resource_prop_data_get
from heat.db.properties_data import resource_prop_data_update
from heat.db.purge import purge_deleted
from heat.db.query import Change
from heat.db.raw_template import raw_template_create
from heat.db.raw_template import raw_template_create_many
from heat.db.raw_template import raw_template_delete_many
from heat.db.raw_template import raw_template_delete_unused
from heat.db.raw_template import raw_template_files_create
from heat.db.raw_template import raw_template_files_get
from heat.db.raw_template import raw_template_files_get_many
from heat.db.raw_template import raw_template_get
from heat.db.raw_template import raw_template_get_many
from heat.db.raw_template import raw_template_update
from heat.db.resource import resource_create
from heat.db.resource import resource_create_many
from heat.db.resource import resource_data_create_many
from heat.db.resource import resource_data_delete
from heat.db.resource import resource_data_get_all
from heat.db.resource import resource_data_replace_many
from heat.db.resource import resource_data_set
from heat.db.resource import resource_delete_many
from heat.db.resource import resource_fence
from heat.db.resource import resource_get
from heat.db.resource import resource_get_all
from heat.db.resource import resource_get_all_active_of_stacks
from heat.db.resource import resource_get_all_by_name_and_stack
from heat.db.resource import resource_get_all_by_physical_id
from heat.db.resource import resource_get_all_by_root_stack
from heat.db.resource import resource_get_all_by_stack
from heat.db.resource import resource_get_by_uuid
from heat.db.resource import resource_get_claimed
from heat.db.resource import resource_get_claims
from heat.db.resource import resource_get_listed
from heat.db.resource import resource_get_many
from heat.db.resource import resource_get_requirers
from heat.db.resource import resource_get_stack_ids_by_root_stack
from heat.db.resource import resource_get_states
from heat.db.resource import resource_get_summaries
from heat.db.resource import resource_get_with_metadata_key
from heat.db.resource import resource_ids_with_data
from heat.db.resource import resource_lock_metadata
from heat.db.resource import resource_purge_for_stacks
from heat.db.resource import resource_replace
from heat.db.resource import resource_set_root
from heat.db.resource import resource_set_templates
from heat.db.resource import resource_swap
from heat.db.resource import resource_swap_many
from heat.db.resource import resource_update
from heat.db.resource import resource_update_many
from heat.db.resource import stack_ids_with_resources_by_root_stack
from heat.db.service import service_create
from heat.db.service import service_delete
from heat.db.service import service_get
from heat.db.service import service_get_all
from heat.db.service import service_get_all_by_args
from heat.db.service import service_update
from heat.db.session import Unavailable
from heat.db.session import configure
from heat.db.session import counters
from heat.db.session import dispose
from heat.db.session import fenced
from heat.db.session import forget_statements
from heat.db.session import in_transaction
from heat.db.session import ping
from heat.db.session import read
from heat.db.session import reader
from heat.db.session import run
from heat.db.session import writer
from heat.db.snapshot import resource_snapshot_create_many
from heat.db.snapshot import resource_snapshot_get_all
from heat.db.snapshot import snapshot_count_all_by_stack
from heat.db.snapshot import snapshot_create
from heat.db.snapshot import snapshot_delete
from heat.db.snapshot import snapshot_get
from heat.db.snapshot import snapshot_get_all_by_stack
from heat.db.snapshot import snapshot_stacks_deleting
from heat.db.snapshot import snapshot_stacks_with_any
from heat.db.snapshot import snapshot_update
from heat.db.software import software_config_count_all
from heat.db.software import software_config_create
from heat.db.software import software_config_delete
from heat.db.software import software_config_get
from heat.db.software import software_config_get_all
from heat.db.software import software_deployment_count_all
from heat.db.software import software_deployment_create
from heat.db.software import software_deployment_delete
from heat.db.software import software_deployment_get
from heat.db.software import software_deployment_get_all
from heat.db.software import software_deployment_get_all_of_server
from heat.db.software import software_deployment_update
from heat.db.stack import Graph
from heat.db.stack import Selection
from heat.db.stack import StackConflict
from heat.db.stack import stack_count_all
from heat.db.stack import stack_count_total_resources
from heat.db.stack import stack_create
from heat.db.stack import stack_create_many
from heat.db.stack import stack_delete_many
from heat.db.stack import stack_end_many
from heat.db.stack import stack_get
from heat.db.stack import stack_get_all
from heat.db.stack import stack_get_all_by_name
from heat.db.stack import stack_get_all_by_name_and_owner_id
from heat.db.stack import stack_get_all_by_owner_ids
from heat.db.stack import stack_get_all_by_root_owner_id
from heat.db.stack import stack_get_ids_in_progress
from heat.db.stack import stack_get_ids_in_progress_among
from heat.db.stack import stack_get_many_in_progress
from heat.db.stack import stack_get_root_id
from heat.db.stack import stack_get_status
from heat.db.stack import stack_get_with_template
from heat.db.stack import stack_has_user_project
from heat.db.stack import stack_have_credentials
from heat.db.stack import stack_lock_many
from heat.db.stack import stack_release_name
from heat.db.stack import stack_replace_credentials
from heat.db.stack import stack_set_many
from heat.db.stack import stack_update
from heat.db.stack import stack_update_and_release_lock
from heat.db.stack import stack_update_many
from heat.db.stack_lock import stack_lock_create
from heat.db.stack_lock import stack_lock_get_all
from heat.db.stack_lock import stack_lock_get_engine_id
from heat.db.stack_lock import stack_lock_hold
from heat.db.stack_lock import stack_lock_release
from heat.db.stack_lock import stack_lock_steal
from heat.db.stack_protection import stack_protection_get
from heat.db.stack_protection import stack_protection_get_terminal
from heat.db.stack_protection import stack_protection_set
from heat.db.stack_reset import reset_stack_status
from heat.db.stack_tag import stack_tags_get
from heat.db.stack_tag import stack_tags_set
from heat.db.sync_point import sync_point_count_open
from heat.db.sync_point import sync_point_create_many
from heat.db.sync_point import sync_point_delete_all_of_stacks
from heat.db.sync_point import sync_point_finish
from heat.db.sync_point import sync_point_finish_one
from heat.db.sync_point import sync_point_get_all_by_key
from heat.db.sync_point import sync_point_get_all_by_traversal
from heat.db.sync_point import sync_point_ready
from heat.db.sync_point import sync_point_ready_of_many
from heat.db.sync_point import sync_point_release
from heat.db.sync_point import sync_point_satisfy
from heat.db.sync_point import sync_point_update_input_data
from heat.db.sync_point import sync_point_update_many
from heat.db.user_creds import user_creds_create
from heat.db.user_creds import user_creds_create_many
from heat.db.user_creds import user_creds_get
from heat.db.user_creds import user_creds_update
from heat.db.watch_data import watch_data_longest_window
from heat.db.watch_data import watch_data_of_claim
from heat.db.watch_data import watch_data_purge
from heat.db.watch_data import watch_data_put
from heat.db.watch_data import watch_data_statistics
from heat.db.watch_data import watch_metric_get_all
from heat.db.watch_data import watch_metric_purge
from heat.db.watch_rule import watch_history_add
from heat.db.watch_rule import watch_history_get_all
from heat.db.watch_rule import watch_history_purge
from heat.db.watch_rule import watch_rule_claim
from heat.db.watch_rule import watch_rule_create
from heat.db.watch_rule import watch_rule_delete
from heat.db.watch_rule import watch_rule_delivered
from heat.db.watch_rule import watch_rule_extend
from heat.db.watch_rule import watch_rule_finish
from heat.db.watch_rule import watch_rule_get
from heat.db.watch_rule import watch_rule_get_all
from heat.db.watch_rule import watch_rule_purge
from heat.db.watch_rule import watch_rule_update

__all__ = [
    'change_set_create',
    'change_set_delete',
    'change_set_delete_older',
    'change_set_get',
    'change_set_get_all',
    'change_set_get_in_progress',
    'change_set_update',
    'ENCRYPTED_NAMES',
    'Change',
    'Graph',
    'Selection',
    'StackConflict',
    'Unavailable',
    'configure',
    'counters',
    'decrypt_parameters_and_properties',
    'decrypted_environment',
    'dispose',
    'fenced',
    'forget_statements',
    'drift_create',
    'drift_delete_beyond',
    'drift_delete_older',
    'drift_get',
    'drift_get_due',
    'drift_get_latest',
    'drift_get_previous',
    'drift_get_running',
    'drift_schedule_get',
    'drift_schedule_get_due',
    'drift_schedule_set',
    'drift_update',
    'encrypt_parameters_and_properties',
    'encrypted_environment',
    'event_count_all_by_stack',
    'event_create',
    'event_create_many',
    'event_get_all_by_stacks',
    'event_get_all_by_tenant',
    'event_purge_excess',
    'event_get_by_ids',
    'event_get_ids_in',
    'event_get_last_id',
    'event_get_newest_ids',
    'stack_get_places_above',
    'stack_get_places_below',
    'export_delete_all',
    'export_get',
    'export_get_all',
    'export_get_importers',
    'export_get_stacks_with_any',
    'export_replace',
    'export_require_free',
    'export_require_kept',
    'import_add',
    'in_transaction',
    'ping',
    'purge_deleted',
    'raw_template_create',
    'raw_template_create_many',
    'raw_template_delete_many',
    'raw_template_delete_unused',
    'raw_template_files_create',
    'raw_template_files_get',
    'raw_template_files_get_many',
    'raw_template_get',
    'raw_template_get_many',
    'raw_template_update',
    'read',
    'reader',
    'reset_stack_status',
    'resource_create',
    'resource_create_many',
    'resource_data_create_many',
    'resource_data_delete',
    'resource_data_get_all',
    'resource_data_replace_many',
    'resource_data_set',
    'resource_delete_many',
    'resource_fence',
    'resource_get',
    'resource_get_all',
    'resource_get_all_active_of_stacks',
    'resource_get_all_by_name_and_stack',
    'resource_get_all_by_physical_id',
    'resource_get_all_by_root_stack',
    'resource_get_all_by_stack',
    'resource_get_by_uuid',
    'resource_get_claimed',
    'resource_get_claims',
    'resource_get_listed',
    'resource_get_many',
    'resource_get_requirers',
    'resource_get_stack_ids_by_root_stack',
    'resource_get_states',
    'resource_get_summaries',
    'resource_get_with_metadata_key',
    'resource_prop_data_create_many',
    'resource_prop_data_delete_unused',
    'resource_prop_data_get',
    'resource_prop_data_update',
    'resource_ids_with_data',
    'resource_lock_metadata',
    'resource_purge_for_stacks',
    'resource_replace',
    'resource_set_root',
    'resource_set_templates',
    'resource_snapshot_create_many',
    'resource_snapshot_get_all',
    'resource_swap',
    'resource_swap_many',
    'resource_update',
    'resource_update_many',
    'run',
    'service_create',
    'service_delete',
    'service_get',
    'service_get_all',
    'service_get_all_by_args',
    'service_update',
    'snapshot_count_all_by_stack',
    'snapshot_create',
    'snapshot_delete',
    'snapshot_get',
    'snapshot_get_all_by_stack',
    'snapshot_stacks_deleting',
    'snapshot_stacks_with_any',
    'snapshot_update',
    'software_config_count_all',
    'software_config_create',
    'software_config_delete',
    'software_config_get',
    'software_config_get_all',
    'software_deployment_count_all',
    'software_deployment_create',
    'software_deployment_delete',
    'software_deployment_get',
    'software_deployment_get_all',
    'software_deployment_get_all_of_server',
    'software_deployment_update',
    'stack_count_all',
    'stack_count_total_resources',
    'stack_create',
    'stack_create_many',
    'stack_delete_many',
    'stack_end_many',
    'stack_get',
    'stack_get_all',
    'stack_get_all_by_name',
    'stack_get_all_by_name_and_owner_id',
    'stack_get_all_by_owner_ids',
    'stack_get_all_by_root_owner_id',
    'stack_get_ids_in_progress',
    'stack_get_ids_in_progress_among',
    'stack_get_many_in_progress',
    'stack_get_root_id',
    'stack_get_status',
    'stack_has_user_project',
    'stack_get_with_template',
    'stack_have_credentials',
    'stack_ids_with_resources_by_root_stack',
    'stack_lock_create',
    'stack_lock_get_all',
    'stack_lock_get_engine_id',
    'stack_lock_hold',
    'stack_lock_many',
    'stack_lock_release',
    'stack_lock_steal',
    'stack_protection_get',
    'stack_protection_get_terminal',
    'stack_protection_set',
    'stack_release_name',
    'stack_replace_credentials',
    'stack_set_many',
    'stack_tags_get',
    'stack_tags_set',
    'stack_update',
    'stack_update_and_release_lock',
    'stack_update_many',
    'sync_point_count_open',
    'sync_point_create_many',
    'sync_point_delete_all_of_stacks',
    'sync_point_finish',
    'sync_point_get_all_by_key',
    'sync_point_get_all_by_traversal',
    'sync_point_ready',
    'sync_point_ready_of_many',
    'sync_point_satisfy',
    'sync_point_release',
    'sync_point_finish_one',
    'sync_point_update_input_data',
    'sync_point_update_many',
    'user_creds_create',
    'user_creds_create_many',
    'user_creds_get',
    'user_creds_update',
    'watch_data_longest_window',
    'watch_data_of_claim',
    'watch_data_purge',
    'watch_data_put',
    'watch_data_statistics',
    'watch_history_add',
    'watch_history_get_all',
    'watch_history_purge',
    'watch_metric_get_all',
    'watch_metric_purge',
    'watch_rule_claim',
    'watch_rule_create',
    'watch_rule_delete',
    'watch_rule_delivered',
    'watch_rule_extend',
    'watch_rule_finish',
    'watch_rule_get',
    'watch_rule_get_all',
    'watch_rule_purge',
    'watch_rule_update',
    'writer',
]
