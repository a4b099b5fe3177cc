/** Words of the tables that no code needs: links between pages, examples, and the limits that clients notice. */
import type { LIMITS } from '../limits.ts'

/** A key of app.yaml or of a resource → where it is explained, from resources/README.md. */
export const KEY_LINKS: Readonly<Record<string, string>> = {
  languages: 'guide/languages.md',
  extends: 'guide/extending-applications.md',
  without: 'guide/extending-applications.md#what-you-leave-out',
  plugins: '../plugins/README.md#the-plugins-that-come-with-plinth',
  calendars: 'guide/follows.md#calendars',
  limits: '../engine/guide/configuration.md#limits',
  explain: '../engine/guide/api.md#explaining-answers',
  on_drift: 'guide/existing-tables.md#what-the-yaml-says-of-an-existing-table',
  existing: 'guide/existing-tables.md',
  id: 'guide/existing-tables.md#ids',
  renamed_from: 'guide/changing-fields.md#renaming',
  of: 'guide/relations.md#a-resource-on-the-table-of-another',
  lookup: 'guide/existing-tables.md#ids',
  label: 'guide/fields.md#names-for-people',
  title: 'guide/fields.md#names-for-people',
  fields: 'guide/fields.md',
  relations: 'guide/relations.md',
  filters: 'guide/lists-and-filters.md',
  sort: 'guide/lists-and-filters.md#sorting-and-pages',
  indexes: 'guide/lists-and-filters.md#indexes',
  nested: 'guide/relations.md#routes-below-a-record',
  live: 'guide/relations.md#live-records',
  count: 'guide/lists-and-filters.md#sorting-and-pages',
  search: 'guide/search.md',
  summary: 'guide/lists-and-filters.md#figures',
  rules: 'guide/rules-and-moves.md',
  moves: 'guide/rules-and-moves.md#moves',
  show_moves: 'guide/rules-and-moves.md#moves',
  follows: 'guide/follows.md',
  automations: 'guide/automations.md',
  hooks: '../plugins/guide/contributions.md#hooks',
  listeners: '../plugins/guide/contributions.md#listeners',
  seeds: 'guide/relations.md#seeds',
  keep: 'guide/relations.md#keep',
  batch: 'guide/batches.md',
  stream: 'guide/streams.md',
  policies: 'guide/policies.md',
  icon: 'guide/views.md#views',
  views: 'guide/views.md#views',
  layout: 'guide/views.md#layout',
  buttons: 'guide/views.md#buttons',
  console: 'guide/views.md#the-console-as-a-whole',
}

/** A key of a plugin → where it is explained, from resources/README.md. */
export const PLUGIN_KEYS: Readonly<Record<string, string>> = {
  activity: 'guide/plugin-keys.md#who-reads-the-history',
  attachments: 'guide/plugin-keys.md#files-of-records',
  csv: 'DESK.md#import-and-export',
  macros: 'guide/plugin-keys.md#macros',
  notify: 'guide/mail-and-notifications.md#notify',
  webhooks: 'DESK.md#webhooks',
}

/** The page of the types of fields, from resources/README.md. */
export const TYPE_PAGE = 'guide/field-types.md'

/** A diagnostic → a page that explains more, from resources/guide/diagnostics.md. */
export const CURE_LINKS: Readonly<Record<string, string>> = {
  wrong_base: 'See [extending an application](extending-applications.md).',
  changed_part: 'See [what is replaced](extending-applications.md#what-you-replace).',
  unknown_part: 'See [what can be left out](extending-applications.md#what-you-leave-out).',
  wrong_extension: 'See [which keys add and which replace](plugin-keys.md#extending-a-resource-of-a-plugin).',
  unknown_operator: 'See [filters](lists-and-filters.md#filters).',
  invalid_filter: 'See [filters](lists-and-filters.md#filters).',
  wrong_relation: 'See [relations](relations.md).',
  wrong_rule: 'See [rules](rules-and-moves.md).',
  wrong_automation: 'See [automations](automations.md).',
  wrong_screen: 'See [views, layout and buttons](views.md).',
  wrong_words: 'See [languages](languages.md).',
  wrong_limit: 'See [limits](../../engine/guide/configuration.md#limits).',
  wrong_plugin: 'See [plugins](../../plugins/README.md).',
  scenario_failed: 'See [scenarios](scenarios.md).',
  unsafe_migration: 'See [changing a live system](../../engine/guide/changing-a-live-system.md).',
}

/** A word that makes a value of others → an example. */
export const VALUE_EXAMPLES: Readonly<Record<string, string>> = {
  first: '[$before.resolved_at, $now]',
  plus: '[$now, 4 hours]',
  minus: '[$record.starts_on, 2 days]',
  times: '[$record.quantity, $record.daily]',
  divided_by: '[$record.amount, $record.people]',
  seconds_between: '[$before.paused_at, $now]',
  minutes_between: '[$record.starts_at, $record.ends_at]',
  hours_between: '[$record.created_at, $now]',
  days_between: '[$record.created_at, $now]',
  text: '"{{ item.name }} for {{ customer }}"',
}

/** The limits that clients notice, each with what it bounds. */
export const LIMIT_MEANINGS: Readonly<Partial<Record<keyof typeof LIMITS, string>>> = {
  changeKeepMs:
    'how long the log of changes keeps what only listeners need, in milliseconds; `log_changes: true` keeps it for good',
  changeKeepFailedMs: 'how long the log keeps what a listener set aside, in milliseconds',
  perPageDefault: 'rows on a page if the caller names no number',
  perPageMax: 'rows on a page at most',
  jsonBytes: 'bytes of a JSON body',
  uploadBytes: 'bytes of an upload',
  queryBytes: 'bytes of a query string',
  searchLength: 'characters of a search',
  searchWords: 'words of one search',
  searchCounted: 'texts with the words of a search that are looked at to count its matches',
  searchKnown: 'newest records whose texts decide what a misspelt word means',
  searchRanked: 'texts with the rarest word of a search up to which its matches are ranked',
  searchWalked: 'records at the beginning of a list that are searched for very common words',
  filterTerms: 'conditions in one query, filter, `where` or policy',
  valuesPerList: 'values of one any-of filter',
  whereLength: 'characters of one `where`',
  whereDepth: 'filters within filters in one `where`, or in the condition of a webhook',
  whereRelations: 'relations that one `where`, or the condition of a webhook, follows from a record',
  projectedNames: 'names in `fields`, `omit` or `include`',
  includedDefault: 'records of an included relation for each record of a list, if no number is given',
  includedMost: 'records of an included relation for each record of a list at most',
  includedRelations: 'included relations to many records at a time',
  sortKeys: 'sort keys of one query',
  statementMs: 'run time of one statement, in milliseconds',
  streams: 'streams that one instance serves at a time',
  streamsPerCaller: 'streams of one caller at a time',
  streamUnsentBytes: 'unread bytes of a stream before it is cut off',
  streamHeartbeatMs: 'time between the signs of life of a stream, in milliseconds',
}

/** What an automation may have a plugin of the application do, as the guide of plugins makes it. */
export const RUN_EXAMPLE = { 'loans.call': { text: 'The loan ends today' } }
