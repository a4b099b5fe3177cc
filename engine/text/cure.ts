/** The cure of each diagnostic, in one sentence for the author of the YAML. */
import type { DIAGNOSTIC_CODES } from './diagnostic.ts'

export const CURES: Readonly<Record<keyof typeof DIAGNOSTIC_CODES, string>> = {
  yaml_syntax:
    'Usually a quote, a bracket or `: ` is missing, or the keys of one map are in different columns. The caret marks the place where reading stopped.',
  unknown_key:
    'Take the suggested word, or one of the expected ones; if the key belongs to another type, the message names that type.',
  duplicate_key: 'Keep one of the two.',
  reserved_key: 'Choose another name.',
  ambiguous_number: 'Put it in quotes if it is meant as text; write it without leading zeros if it is a number.',
  too_complex: 'Write values out instead of using aliases.',
  source_too_large: 'Split the file: each resource has a file of its own.',
  source_unreadable:
    'Save the file as UTF-8 with the ending `.yaml`, readable by the user that runs Plinth; check `RESOURCES_DIR`.',
  missing_app: 'Make an `app.yaml` with at least `name: …`, or set `RESOURCES_DIR` to the folder that has one.',
  missing_key: 'Add the key; the hint shows an example.',
  wrong_type: 'Write the kind of value that is expected, and indent what belongs to a key below it; the hint says how.',
  unknown_word: 'Take one of the expected words.',
  wrong_value: 'Keep to the bounds or the form that the message names.',
  wrong_name: 'Use a letter, then letters, digits and `_`, at most 50 characters.',
  wrong_option:
    'Change one of the two options; write a pattern without lookahead, lookbehind and back references, or lower `max`.',
  bad_setting: 'Correct the environment variable that the message names.',
  unknown_resource: "Take the suggested name, or add the resource's file.",
  duplicate_resource: 'Rename one of the two, or merge the files.',
  wrong_extension: 'Leave the key out, or write it as the file does that is extended.',
  wrong_base:
    'Write the name of an application of an installed package, such as `plinth/desk`, or the path of a folder with an `app.yaml`.',
  unknown_part: 'Take the suggested name, or take the line away.',
  repeated_part: 'Take it away.',
  changed_part: 'Take your part away, change it, or keep it by `npx plinth accept <path>`.',
  duplicate_path: 'Give one of them another `path`.',
  unknown_field: 'Take the suggested name, or declare the field or relation.',
  unknown_attribute:
    'Take the suggested name, or add the field or relation to the resource of the accounts; without accounts, only `who: anyone` admits anybody.',
  unknown_role: 'Take the suggested name, or seed the role.',
  unknown_permission: 'Take the suggested name, name the permission in a policy, or give it to a role.',
  unknown_operator: 'Take one of the operators of the filter language.',
  invalid_filter: 'Compare a field with a value of its own type, in the words of the filter language.',
  wrong_path: 'Follow only belongs_to relations, at most three of them.',
  of_cycle: 'Let one of the resources have a table of its own.',
  of_mismatch: 'Move the key to the resource that owns the table.',
  scope_not_assignable: 'Let `where` compare fields with single values, or leave `create` out of `actions`.',
  ambiguous_relation: 'Name the relation with `by` (or `through`).',
  missing_relation: 'Add the belongs_to relation to the other resource, or correct `by`.',
  wrong_relation: 'Do what the message says.',
  not_summarized:
    'Group by a relation to one record, an enum, a boolean, a date or a timestamp; sum up numbers, dates and timestamps.',
  not_filterable: 'Filter by a stored field; a range needs a date or timestamp.',
  not_sortable: 'Sort by a stored, short field.',
  not_searchable: 'Search in fields of text.',
  reserved_name: 'Choose another name.',
  name_clash: 'Rename one of the two.',
  name_too_long: 'Choose a shorter name, or give a shorter `column` or `table`.',
  wrong_lookup: 'Look up by `id` or by a field that is `unique`, a sequence or a slug.',
  ambiguous_lookup:
    'Name the field in the path (`/customers/number:10001`), or let the two take different texts: a sequence that starts above all ids, a `pattern`.',
  wrong_title: 'Name fields that answers show, and short values such as texts, numbers and dates.',
  wrong_screen: 'Name what answers show and lists take, or do what the hint says.',
  unknown_hook: 'Take the suggested name, or add the plugin to app.yaml.',
  unknown_listener:
    'Take the suggested name, or add the plugin to app.yaml; name it in the file of the other resource.',
  unknown_special: 'Take the suggested name, or add the plugin to app.yaml.',
  wrong_access:
    'Name one of `permission`, `role` and `who`; take away what lets nobody do anything, or let somebody do it as the hint says.',
  missing_policy: 'Add a clause for the action, or leave it out of `actions`.',
  wrong_rule: 'Do what the hint says.',
  follow_cycle: 'Say with `changed` which fields an entry waits for, or with `on` for which writes.',
  wrong_automation: 'Do what the hint says.',
  missing_live: 'Add `soft_delete: true`, or `live` and `restore_sets`.',
  embed_too_deep: 'Embed fewer levels, or fields by alias: `{ owner: user.name }`.',
  wrong_seed: 'Write the row as a body of the API would be written.',
  unknown_calendar: 'Take the suggested name, or add it under `calendars` in app.yaml.',
  wrong_calendar: 'Write hours as `09:00-17:00`, a night as two days, and a zone as `Europe/Berlin`.',
  wrong_limit: 'Take a name of the table of limits; an application may only narrow them.',
  unknown_plugin: 'Correct the name, add the folder to `PLUGINS_DIR`, or install the package.',
  missing_plugin: 'Name it under `plugins`.',
  plugin_failed: "The message holds the plugin's own error; ask its author.",
  wrong_plugin: 'Export the result of `definePlugin` as default.',
  plugin_clash: 'Use one of the two, or ask their authors to rename.',
  stale_plugin: 'Remove the older `index.js`, or compile it again. A warning.',
  plugin_cycle: 'Remove one `after`.',
  wrong_sql:
    'Correct the SQL of `computed`, which the message names with what PostgreSQL says; a whole resource is named if the database has other columns than the YAML.',
  unsafe_migration: 'Read the plan with `plinth plan`; apply it with `plinth apply` when it is what you want.',
  scenario_failed: 'Look at the answer in the hint: correct the resource, or the scenario if the answer is right.',
  rollout_refused: 'Bring the same files to each of them.',
  unnoticed_removal:
    'Add a scenario in which somebody is let in, refused or shown less because of it, or remove the clause if it does nothing.',
  tables_locked:
    'The message names the process: end it, or wait until it has ended, and start again. Nothing was changed.',
  stale_plan: 'Make a new plan.',
}
