/** What is said of a move that a write would make and may not: 409 where it is nobody's, 403 where it is somebody else's. */
import type { Actor } from '../actor.ts'
import type { Moves, Resource } from '../catalog/catalog.ts'
import type { Row } from '../database/database.ts'
import { ApiError } from '../error.ts'
import { wordsAfter } from '../query/move-check.ts'
import type { CompiledWrite } from '../query/write-statement.ts'

/** Throws conflict or forbidden for the first move that is not allowed. */
export function refuseMoves(resource: Resource, actor: Actor, { checks, tells }: CompiledWrite, row: Row): void {
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
    throw check.whose === 'anyone'
      ? nobodys(resource, check.moves, from, to, actor)
      : forbidden(resource, check.moves, from, to)
  }
}

/** How the sentences begin in which a move of the resource is refused. */
export function refusalsOf({ label }: Resource, { says }: Moves): readonly string[] {
  return says === undefined ? [impossible(label), notYours(label)] : [says]
}

function impossible(label: string): string {
  return `The ${label.toLowerCase()} can not go from`
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
