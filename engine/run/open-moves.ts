/** ⇄ Which moves of a record are open to its caller, so that a client can offer those and no others. */

import { allowsOne } from '../ask/policy.ts'
import type { Resource } from '../catalog/catalog.ts'
import { idAtStart, type JsonObject } from '../json.ts'
import { compileOpen, isWordShown, wordsAfter } from '../statement/moves.ts'
import { type Execution, runCompiled } from './execution.ts'

/** The words that may follow, by field, of the record in `text`, a record as it is answered; undefined where its caller sees none of it. */
export async function openMoves(around: Execution, resource: Resource, text: string): Promise<JsonObject | undefined> {
  const shown = resource.moves.filter((moves) => moves.shown && isWordShown(around, resource, moves))
  const id = idAtStart(text)
  if (shown.length === 0 || id === undefined) return undefined
  const compiled = around.statements.get(compileOpen, around, resource, shown)
  const [row = []] = await runCompiled(around, compiled, { id })
  const [seen, ...told] = row
  if (seen !== 't') return undefined
  const open = shown.map((moves, i) => {
    const may = told[2 * i + 1] === 't' && allowsOne(moves.field.write, around.actor)
    return [moves.name, may ? wordsAfter(moves, told[2 * i] ?? null, around.actor) : []] as const
  })
  return Object.fromEntries(open.map(([name, words]) => [name, [...words]]))
}
