/** Tables of keys in Markdown, made from the JSON Schemas that the YAML is checked by. */
import { flow } from '../definition/sentence.ts'
import type { Json, JsonSchema } from '../json.ts'

export type Keys = Readonly<Record<string, JsonSchema>>

/** Quotes that no reader of YAML needs; `flow` writes them for older ones. */
const NEEDLESS = /"((?:[A-Za-z]|\/|\d+ |\d{4}-|\d\d[:-])[\w ./:-]*)"/g

/** A table in Markdown; `|` in a cell is escaped. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll(/(?<!\\)\|/g, '\\|')).join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}

export function propertiesOf(schema: unknown): Keys {
  return ((schema as JsonSchema | undefined)?.properties ?? {}) as Keys
}

/** A key and all keys below it: `nested.*.path`, `indexes[].fields`. */
export function* deepKeys(name: string, schema: JsonSchema): Generator<readonly [name: string, schema: JsonSchema]> {
  yield [name, schema]
  for (const branch of [schema, ...((schema.anyOf ?? []) as readonly JsonSchema[])]) {
    for (const [key, child] of Object.entries(propertiesOf(branch))) yield* deepKeys(`${name}.${key}`, child)
    for (const [key, child] of Object.entries(propertiesOf(branch.additionalProperties)))
      yield* deepKeys(`${name}.*.${key}`, child)
    const items = branch.items as JsonSchema | undefined
    for (const item of [items, ...((items?.anyOf ?? []) as readonly JsonSchema[])])
      for (const [key, child] of Object.entries(propertiesOf(item))) yield* deepKeys(`${name}[].${key}`, child)
  }
}

/** The rows of keys with their meaning and an example; `links` leads from a key to the page that explains it. */
export function keyTable(
  keys: Iterable<readonly [name: string, schema: JsonSchema]>,
  links: Readonly<Record<string, string>> = {},
): string {
  const rows = [...keys].map(([name, { description, examples }]) => {
    const link = links[name]
    const [example] = (examples ?? []) as readonly Json[]
    return [
      link === undefined ? `\`${name}\`` : `[\`${name}\`](${link})`,
      String(description),
      example === undefined
        ? ''
        : `\`${name.replace(/^.*[.\]]\.?/, '')}: ${flow(example).replaceAll(NEEDLESS, '$1')}\``,
    ]
  })
  return table(['key', 'meaning', 'example'], rows)
}
