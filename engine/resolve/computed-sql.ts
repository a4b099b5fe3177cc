/** Pass: what can be told of the SQL of computed fields without a database: that there is some, and which columns it names. */
import { isStored } from '../catalog/stored.ts'
import { type Draft, eachDraft, type Resolution, suggest } from './resolution.ts'

/** Texts and comments of SQL, in which nothing is a column. */
const TEXTS = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g
/** Another table that is called `t` within the SQL. */
const OWN_T = /(?:\b(?:from|join)\s+|,\s*)[\w."]+\s+(?:as\s+)?t\b/i

/** Judges the SQL of every computed field where it is written. */
export function computedSql(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    if (draft.owner !== draft.name) continue
    const computed = [...written.fields.values()].flatMap(({ place, value }) =>
      typeof value.computed === 'string' ? [{ place, text: value.computed }] : [],
    )
    // The columns are looked for among all resources.
    const known = computed.length === 0 ? new Set<string>() : columnsOf(resolution, draft)
    for (const { place, text } of computed) {
      const span = place(['computed'])
      const sql = text.replaceAll(TEXTS, "''")
      if (sql.trim() === '') {
        const hint = "write SQL over the record t, as t.first_name || ' ' || t.last_name"
        resolution.report('wrong_option', 'There is no SQL to compute the value by', span, { hint })
      }
      // A table that was there before has columns which the file does not name.
      if (draft.existing || OWN_T.test(sql)) continue
      const unknown = [...sql.matchAll(/(?<![\w.])t\.(?:"([^"]+)"|([A-Za-z_]\w*))(?!\s*\()/g)]
        .map(([, quoted, plain]) => quoted ?? plain!.toLowerCase())
        .find((column) => !known.has(column))
      if (unknown === undefined) continue
      const message = `The table of "${draft.name}" has no column "${unknown}"`
      resolution.report('unknown_field', message, span, suggest(unknown, known))
    }
  }
}

/** The columns of the whole table, as PostgreSQL knows them. */
function columnsOf(resolution: Resolution, { name }: Draft): ReadonlySet<string> {
  const drafts = [...resolution.drafts.values()].filter(({ owner }) => owner === name)
  return new Set(drafts.flatMap(({ fields }) => [...fields.values()].filter(isStored).map(({ column }) => column)))
}
