/** Where names stand as data: a whole database is searched. */
import type { Database } from '../../engine/database/database.ts'

/** `<table>.<column>` of every text and every JSON of the database in which a word stands as a name: a value, or a key. */
export async function namedIn({ adhoc }: Pick<Database, 'adhoc'>, words: RegExp): Promise<readonly string[]> {
  const columns = await adhoc.run(
    {
      text: `select table_name, column_name, data_type from information_schema.columns
    where table_schema = current_schema() and data_type in ('text', 'character varying', 'jsonb', 'json') order by 1, 2`,
    },
    [],
  )
  const found = new Set<string>()
  for (const [table, column, type] of columns) {
    const rows = await adhoc.run({ text: `select "${column}"::text from "${table}" where "${column}" is not null` }, [])
    for (const [value] of rows) {
      const isJson = type?.startsWith('json') || /^[[{]/.test(value ?? '')
      if (namesIn(value ?? '', isJson).some((one) => words.test(one))) found.add(`${table}.${column}`)
    }
  }
  return [...found]
}

function namesIn(text: string, isJson = false): readonly string[] {
  if (!isJson) return [text]
  const inside = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return [value]
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, one]) => [...(Array.isArray(value) ? [] : [key]), ...inside(one)])
  }
  try {
    return inside(JSON.parse(text))
  } catch {
    return [text]
  }
}
