/** Names as they are compared: those that look alike are one. */
import { UNSEEN } from './fold.ts'
import { type Fragment, print, type Sql, sql } from './sql.ts'

/**
 * The name in small letters, with compatible forms as the signs that they stand for (NFKC, UAX 15), without signs that
 * nobody sees and with one blank where there are several. Most names are ASCII without two blanks, and need the first alone.
 */
export function nameSql(text: Fragment): Sql {
  const plain = sql`regexp_replace(normalize(${text}, NFKC), '[${UNSEEN}]+', '', 'g')`
  const spaced = sql`btrim(regexp_replace(${plain}, '[ \\t\\n\\r]+', ' ', 'g'))`
  return sql`(case when octet_length(${text}) = length(${text}) and position('  ' in ${text}) = 0 then lower(btrim(${text}))
    else translate(lower(${spaced}), 'ς', 'σ') end)`
}

/** The same over a column or another expression, as SQL text. */
export function nameSqlText(expression: string): string {
  return print(nameSql(expression)).text
}

const IN_NAME = new RegExp(`[${UNSEEN}]+`, 'g')

/** The same of a name that is here. */
export function nameText(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replace(IN_NAME, '')
    .replace(/[ \t\n\r]+/g, ' ')
  return plain.trim().toLowerCase().replaceAll('ς', 'σ')
}
