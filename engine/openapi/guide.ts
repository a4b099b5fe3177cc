/** The introduction of the document: what holds for every operation. */
import type { Catalog } from '../catalog/catalog.ts'
import { OPERATORS } from '../field/field-type.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { isResourceRoute } from '../http/resource-routes.ts'
import { LIMITS } from '../limits.ts'

const WORDS = { list: 'list', get: 'read', create: 'create', update: 'change', delete: 'delete', restore: 'restore' }

/** What the routes let their caller do, by their groups, in Markdown: the first page of the document. */
export function offer(catalog: Catalog, routes: readonly BoundRoute[], groupOf: (route: BoundRoute) => string): string {
  const groups = new Map<string, BoundRoute[]>()
  for (const route of routes) groups.set(groupOf(route), [...(groups.get(groupOf(route)) ?? []), route])
  const rows = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, of]) => `| ${name} | ${offered(of)} |`)
  return `${catalog.description ?? `The interface of ${catalog.name}.`}

**What you can do.** Without a token, this document has every route. With the token of a sign-in, it has what its bearer may call, read and write.

| group | what you can do |
|---|---|
${rows.join('\n')}`
}

/** Routes of a plugin that a row names before it counts the others. */
const NAMED = 3

/** What the routes of one group do, in a few words: actions on records, or the first sentences of a plugin's routes. */
function offered(routes: readonly BoundRoute[]): string {
  const actions = new Set(routes.filter(isResourceRoute).map(({ action }) => action))
  const words = Object.entries(WORDS).flatMap(([action, word]) =>
    actions.has(action as keyof typeof WORDS) ? [word] : [],
  )
  const others = routes.filter((route) => !isResourceRoute(route))
  const named =
    words.length > 0 ? [] : others.flatMap((route) => ('summary' in route ? [route.summary] : [])).slice(0, NAMED)
  const left = others.length - named.length
  const more = left === 0 ? [] : [`${left} more ${left === 1 ? 'route' : 'routes'}`]
  // Sentences of plugins may have commas of their own.
  return [...(words.length === 0 ? [] : [words.join(', ')]), ...named, ...more].join('; ')
}

/** What holds for every operation, in Markdown. */
export function guide(catalog: Catalog): string {
  const unknown = catalog.strictness.unknownKeys === 'refuse' ? 'An unknown key is refused' : 'Unknown keys are ignored'
  return `**Answers** have one form: \`success\`, then \`data\` or a \`message\`, then \`meta\` with \`timestamp\` and \`version\`. Times are ISO 8601 in UTC with six digits after the seconds. Exact numbers are strings. The header \`X-Request-Id\` names the request in the log.

**Refusals** have a \`message\` for people and a \`code\` for programs, with 422 also \`errors\` by field. The answer \`Refused\` lists their statuses, which any operation may have.

**Bodies** are JSON objects. Spaces around a text are cut off, and \`""\` means null. ${unknown}. A record may be sent back as it was read: read-only fields and embedded records are then ignored. Another value for one of them is refused, and the refusal says what to send instead. PUT and PATCH do the same: they change the fields that are sent.

**Lists** take filters, \`search\`, \`sort\` and pages. A filter takes several values, \`status_id=1&status_id=2\` or \`status_id=1,2\`, and an operator in brackets, \`created_at[gte]=2026-01-01\`. Without an operator it means \`[eq]\`, and \`[in]\` for several values. \`[in]\` and \`[not_in]\` take values with commas, \`[between]\` the first and the last value, \`[null]\` true or false. In a list of values \`\\,\` is a comma of a value, and \`\\\\\` a backslash. A day means all its hours. To read many pages at the same cost, begin with \`cursor=first\` and go on with \`meta.pagination.next_cursor\`.

${searches(catalog)}**Conditions.** \`where\` is a condition as JSON, in addition to the other parameters: \`{"any":[{"status.category":"open"},{"comments":{"some":{"user.email":{"ends_with":"@acme.example"}}}}]}\`. The keys of an object hold together; \`any\` and \`all\` take lists of conditions, \`not\` takes one. A value is compared by \`eq\`, a list by \`in\`, null asks for what is absent, and \`{"gte":1,"lt":9}\` names operators: ${OPERATORS.map((word) => `\`${word}\``).join(', ')}. A key is the name of a filter, \`id\`, or over relations a filter of the other resource. Relations to many records take \`some\`, \`none\`, \`every\`, and \`count\`, perhaps with a \`where\`. A key over a relation to many, without such a word, asks for one of them. \`$actor\` is the id of the caller, \`$now\` the moment, \`$today\` its day. Records and fields that the caller may not see count as absent. A mistake is told at its place, \`where.any.0.status.category\`. What is too long for an address goes to the list's \`/query\` as a body, \`{"where":{"id":[1,2]},"sort":["-id"],"per_page":10}\`.

**Parts of records.** \`fields=id,subject,status.name\` answers with these alone, embedded ones inside their objects; \`omit\` with all but these. \`include=comments(5)\` adds related records that only single answers have, or none unless they are asked for; a list gives ${LIMITS.includedDefault} of each relation if no number says less or more, ${LIMITS.includedMost} at most, newest first where they have no order of their own. Schemas say what a whole record has.

**Versions.** Records and lists have an \`ETag\`. A GET with \`If-None-Match\` is answered 304 while nothing has changed; a change with \`If-Match\` is answered 412 when the record has changed. A POST with an \`Idempotency-Key\` is done once: sent again, after a lost connection too, it gets the first answer with the header \`Idempotency-Replayed\`, unless its sender may do less by then. 409 with \`Retry-After\` says that the first one is still at work. With \`dry_run=true\` a creation or a change only says what would come of it.

${batches(catalog)}${summaries(catalog)}${streams(catalog)}**Limits.** Every answer says in \`X-RateLimit-Limit\` how many requests a minute the caller has, and in \`X-RateLimit-Remaining\` how many are left. 429 says in \`Retry-After\` when to go on.

HEAD answers as GET does, without the body. OPTIONS says which methods a path has; any other method is refused with 405.`
}

/** How to write many records, if a resource allows it. */
function batches(catalog: Catalog): string {
  if (![...catalog.resources.values()].some(({ batch }) => batch)) return ''
  return `**Many at once.** \`POST …/batch\` takes lists of what to \`create\`, \`update\`, \`delete\` and \`restore\`, and does them in this order, ${LIMITS.batchOperations} at most, all or none: what is wrong is in \`errors\` below the place of its operation, \`update.3.subject\`. With \`partial=true\` each is done for itself, and its answer has a \`status\`. PATCH and DELETE of a list change all records that its filters find; where more than \`max\` match, nothing is written and the 409 says how many. \`PUT …/by/{field}/{value}\` changes the record with this unique value, or creates it. Each started hundred of records counts as one request more.

`
}

/** How to search, if a list allows it. */
function searches(catalog: Catalog): string {
  const searched = [...catalog.resources.values()].filter(({ search }) => search.length > 0)
  if (searched.length === 0) return ''
  const forms = searched.some(({ language }) => language !== undefined)
    ? ' Where a list says so, a word also finds its other forms, `printers` a `printer`; in quotes it means itself.'
    : ''
  return `**Searches.** \`search\` finds the records that have all of its words or parts of words, in any order and field, in small or capital letters, with accents or without: \`"two words"\` must be next to each other, and \`-word\` must not be there.${forms} A text that is the id of a record, or the value of a field that no two records share, finds this record first. \`meta.search.matches\` names for each record the fields that have words, and with \`snippets=true\` it has pieces of their texts as HTML. A word that occurs nowhere is taken for the most similar one; in quotes it is taken literally. So \`search=prnter&snippets=true\` is answered with \`{"corrected":{"prnter":"printer"},"matches":[{"id":1,"fields":["subject"],"snippets":{"subject":"The <mark>printer</mark> is broken"}}]}\`. Where all words are very common, \`meta.pagination.total\` is what there is at least, and \`total_exact\` is false.

`
}

/** How to summarize records, if a resource allows it. */
function summaries(catalog: Catalog): string {
  if (![...catalog.resources.values()].some(({ summary }) => summary !== undefined)) return ''
  return `**Summaries.** \`GET …/summary?by=status_id,created_at:week&of=count,avg:created_at..closed_at\` groups the records that the list with the same filters finds. \`by\` names relations, enums, booleans, and dates with a step: hour, day, week, month, quarter or year, of the clocks in \`zone\`. \`of\` names figures: \`count\`, or \`sum\`, \`avg\`, \`median\`, \`min\`, \`max\` and \`distinct\` of a field; \`avg:created_at..closed_at\` is of the seconds between two moments. Each group has the terms as they are written, and the records that its relations name. A period without records has its group, where there is one date in \`by\` and no \`sort\`. At most \`limit\` groups come, and \`meta.more\` says whether there are more.

`
}

/** How to follow changes, if a resource is streamed. */
function streams(catalog: Catalog): string {
  if (![...catalog.resources.values()].some(({ streamed }) => streamed)) return ''
  return `**Streams** send changes while they happen, as Server-Sent Events, of the records that the list with the same filters shows their reader and of no others. \`reset\` comes first: read the list, and put it in place of what is known. \`created\` and \`changed\` have the record as the list shows it, \`deleted\` has its \`id\` alone, also when it left the filters or the reader's sight. Send the \`id\` of the last event as \`Last-Event-ID\` to go on behind it, after the time that \`retry\` says; \`reset\` comes again where that is not possible. A stream ends with its session. \`sort\` is taken and means nothing. \`EventSource\` can send no \`Authorization\`: use \`fetch\` and read its body.

`
}
