/** What holds for every operation, said once at the head of the document. */
import type { Catalog } from '../catalog/catalog.ts'

/** The description of the whole interface, in Markdown. */
export function guide(catalog: Catalog): string {
  const unknown = catalog.strictness.unknownKeys === 'refuse' ? 'An unknown key is refused' : 'Unknown keys are ignored'
  return `${catalog.description ?? `The interface of ${catalog.name}.`}

**Answers** have one envelope: \`success\`, then \`data\` or a \`message\` (and \`errors\` by field with 422), then \`meta\` with \`timestamp\` and \`version\`. Moments are ISO 8601 in UTC with six digits after the seconds; exact numbers are strings.

**Bodies** are JSON objects. Texts are trimmed, \`""\` means null. ${unknown}; what can't be written (read-only fields, embedded records) may be sent back as it was read, so that a record can be read, edited and sent again; anything else there is refused with what to use instead. PUT and PATCH are the same partial update.

**Lists** take filters, \`search\`, \`sort\` and pages. Filters understand operators in brackets, \`created_at[gte]=2026-01-01\`, and several values with commas. To read deep at constant cost, begin with \`cursor=first\` and go on with \`meta.pagination.next_cursor\`.

**Versions.** Records and lists carry an \`ETag\`; \`If-None-Match\` answers 304 when nothing has changed, \`If-Match\` on a change answers 412 when something has. A POST with an \`Idempotency-Key\` is done once: sent again, it gets the first answer, unless its sender may do less by then.

**Limits.** Every answer says in \`X-RateLimit-Limit\` and \`X-RateLimit-Remaining\` how many requests a minute are left; 429 says in \`Retry-After\` when to go on.

HEAD answers as GET without a body, OPTIONS says which methods a path knows, and another method is refused with 405.`
}
