/** What is said of a move that a write would make and may not: 409 where it is nobody's, 403 where it is somebody else's. */
import type { Actor } from '../actor.ts'
import type { Moves, Resource } from '../catalog/catalog.ts'
import type { Row } from '../database/database.ts'
import { ApiError } from '../error.ts'
import { isWordShown, wordsAfter } from '../query/move-check.ts'
import type { SelectScope } from '../query/scope.ts'
import type { CompiledWrite } from '../query/write-statement.ts'

/** Throws conflict or forbidden for the first move that is not allowed; `seen` says whether the caller may view the record. */
export function refuseMoves(
  scope: SelectScope,
  resource: Resource,
  { checks, tells }: CompiledWrite,
  row: Row,
  seen: boolean,
): void {
  // The words stand behind everything else, two for each field that moves.
  let told = row.length - tells
  let words: readonly (string | null)[] = []
  for (const [i, check] of checks.entries()) {
    if (check.kind !== 'move') continue
    if (check.whose === 'anyone') {
      words = [row[told] ?? null, row[told + 1] ?? null]
      told += 2
    }
    if (row[i] === 't') continue
    const [from = null, to = null] = words
    // Who may not read the word learns neither it nor, by what may follow, which one it is.
    if (!seen || !isWordShown(scope, resource, check.moves))
      throw new ApiError('conflict', { message: check.moves.says ?? hiddenMove(resource.label) })
    throw check.whose === 'anyone'
      ? nobodys(resource, check.moves, from, to, scope.actor)
      : forbidden(resource, check.moves, from, to)
  }
}

/** How the sentences begin in which a move of the resource is refused. */
export function refusalsOf({ label }: Resource, { says }: Moves): readonly string[] {
  return says === undefined ? [impossible(label), notYours(label), hiddenMove(label)] : [says]
}

function hiddenMove(label: string): string {
  return `The ${label.toLowerCase()} cannot be moved so`
}

function impossible(label: string): string {
  return `The ${label.toLowerCase()} cannot go from`
}

function notYours(label: string): string {
  return `You may not move the ${label.toLowerCase()} from`
}

function nobodys({ label }: Resource, moves: Moves, from: string | null, to: string | null, actor: Actor): ApiError {
  const possible = wordsAfter(moves, from, actor)
  const what = moves.says ?? `${impossible(label)} ${quote(from)} to ${quote(to)}`
  const rest =
    possible.length > 0 ? `; possible: ${possible.join(', ')}` : moves.says === undefined ? '; it stays as it is' : ''
  return new ApiError('conflict', { message: `${what}${rest}` })
}

function forbidden({ label }: Resource, { says }: Moves, from: string | null, to: string | null): ApiError {
  const message = says ?? `${notYours(label)} ${quote(from)} to ${quote(to)}`
  return new ApiError('forbidden', { message })
}

function quote(word: string | null): string {
  return word === null ? 'nothing' : `"${word}"`
}
