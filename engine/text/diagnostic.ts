/** A complaint with its code and its place; every code has its cause in one sentence, and is never reused. */
import type { Span } from './source.ts'

export const DIAGNOSTIC_CODES = {
  yaml_syntax: 'The file is not well-formed YAML.',
  unknown_key: 'A key that nothing reads.',
  duplicate_key: 'The same key appears twice in one map; YAML would keep only one of them.',
  reserved_key: 'A key that JavaScript gives a meaning of its own.',
  ambiguous_number: 'A number that YAML reads differently from how it looks.',
  too_complex: 'Aliases or nesting make a file much larger than it was written.',
  source_too_large: 'A file larger than any hand-written one.',
  source_unreadable: 'A file or folder that cannot be read, or is not UTF-8.',
  missing_app: 'The folder of resources has no app.yaml.',
  missing_key: 'A required key is missing.',
  wrong_type: 'A value of the wrong kind for its key.',
  unknown_word: 'A value that is none of the words the key knows.',
  wrong_value: 'A value of the right kind that the key does not allow.',
  wrong_name: 'A name that cannot become a column, a table or a path.',
  wrong_option: 'An option of a field that contradicts another one, or cannot work.',
  bad_setting: 'An environment variable whose value cannot be read.',
  unknown_resource: 'A resource that no file declares.',
  duplicate_resource: 'Two files declare the same resource.',
  wrong_extension: 'A file that contradicts the resource of a plugin or of another application, which it extends.',
  wrong_base:
    'An `extends` that leads to no application, to itself, or to one made for another version of the program.',
  unknown_part: 'A part that the application below does not have, and that is to be left out or changed.',
  repeated_part:
    'A part that says what the application below says too, so that its corrections would not reach it; a warning.',
  changed_part: 'A part that was changed in the application below after this one had replaced it; a warning.',
  duplicate_path: 'Two routes would have the same path.',
  unknown_field: 'A field or relation that the resource does not have.',
  unknown_attribute:
    'An attribute that accounts do not have, or a rule about signed-in callers in an application without accounts.',
  unknown_role: 'A role that is not seeded.',
  unknown_permission:
    'A permission that a seeded role holds and nothing names, or that one rule names and no seeded role holds; the second is a warning.',
  unknown_operator: 'A comparison word that filters do not know.',
  invalid_filter: 'A filter that is not written in the language of filters, or compares what cannot be compared.',
  wrong_path: 'A path that follows more than one record at a step, or goes too deep.',
  of_cycle: 'Resources that are parts of each other in a circle.',
  of_mismatch: 'A resource on the table of another one says something that only the owner of the table can say.',
  scope_not_assignable: 'A scope that a new record could not be given.',
  ambiguous_relation: 'Several relations are possible, and none is named.',
  missing_relation: 'No relation of the other resource points here.',
  wrong_relation: 'A relation that says too little, too much or contradicts itself.',
  not_summarized: 'A field in `summary` by which records cannot be grouped, or whose values cannot be summed up.',
  not_filterable: 'A filter or range on a field that cannot be compared that way.',
  not_sortable: 'A sort key that has no order in the database.',
  not_searchable: 'A search over something that is not text, or over nothing.',
  reserved_name: 'A name that already means something else.',
  name_clash: 'Two things of one resource with the same name.',
  name_too_long: 'A name longer than the 63 bytes of an SQL identifier.',
  wrong_lookup: 'A lookup by a field that does not name one record.',
  ambiguous_lookup: 'Two lookups that one text in a path could mean; a warning.',
  wrong_title: 'A title of records that answers do not show, or that is no short value.',
  wrong_screen:
    'A view, layout or button that shows what no answer has, asks what no list takes, or does not fit together; what only some see is a warning.',
  wrong_words:
    'Words in a language that app.yaml does not list, or written twice; for something that the application does not have it is a warning.',
  unknown_hook: 'A hook that no plugin gives.',
  unknown_listener: "A listener that no plugin gives, or one of a resource on another's table.",
  unknown_special: 'A special filter that no plugin gives.',
  wrong_access:
    'An access rule that names nobody, or too much, or that lets nobody do anything; the last is a warning.',
  missing_policy: 'An action that the resource offers and no policy ever allows.',
  wrong_rule: 'A rule about records that cannot be judged, or not in the way that it says.',
  follow_cycle: 'What follows in another record would set itself off again.',
  wrong_automation: 'An automation that does not say when it acts or what it does, or could not do it.',
  missing_live: 'A restore without anything that says what deleted means.',
  embed_too_deep: 'Embeds within embeds beyond the limit.',
  wrong_seed: 'A seed row that cannot be stored as written.',
  unknown_calendar: 'A calendar that app.yaml does not declare.',
  wrong_calendar: 'A calendar with hours, days or a time zone that do not exist.',
  wrong_limit: 'Limits that contradict each other.',
  unknown_plugin: 'A plugin that cannot be found.',
  missing_plugin: 'A plugin that another one needs and app.yaml does not name.',
  plugin_failed: 'A plugin that throws while it is loaded or changes a resource.',
  wrong_plugin: 'A file that exports no plugin.',
  plugin_clash: 'Two plugins that give the same thing.',
  earlier_name:
    'An import, a key of a plugin or a member of its context that is gone, or that goes with a later version; a warning.',
  stale_plugin: 'A compiled plugin that is older than its TypeScript in the same folder, and is not used.',
  plugin_cycle: 'Plugins that each must come after the other.',
  wrong_sql: 'SQL that the database cannot run.',
  unsafe_migration: 'A change of the tables that would lose or reject data, and waits for a person.',
  scenario_failed: 'A scenario whose answer differs from the expected one.',
  rollout_refused: 'A version that not every running instance can serve.',
  unnoticed_removal: 'A policy clause, field guard or rule without which every scenario still holds.',
  tables_locked:
    'A change of the tables that waited for a minute for a session that holds one of them, and was abandoned.',
  stale_plan: 'A migration plan made from another state of the YAML or of the database.',
} as const

/** A code of the engine, or one of a plugin's own, written `plugin/code`. */
export type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES | `${string}/${string}`

/**
 * One complaint about YAML, options or the environment.
 * `expected` lists the words or forms that would be accepted; `hint` says what to do.
 */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly message: string
  readonly span?: Span
  readonly expected?: readonly string[]
  readonly hint?: string
  readonly severity?: 'error' | 'warning'
}

/** What a boot stage returns: it collects complaints and never throws for an author's mistake. */
export interface Collected<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
}
