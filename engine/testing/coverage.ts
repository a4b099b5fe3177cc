/** ⇄ Which clauses of policies scenarios have exercised: those by which a request was answered. */
import { executionOf } from '../action/execution.ts'
import { clausesAsked } from '../action/explain.ts'
import { ANONYMOUS } from '../actor.ts'
import type { Catalog, Clause } from '../catalog/catalog.ts'
import type { Engine } from '../engine.ts'
import { findRoute, questionOf } from '../http/question.ts'
import { position } from '../text/source.ts'

/** The place of a clause, which is the same in every catalog of the same files. */
function placeOf({ span }: Clause): string {
  const { line, column } = position(span.source, span.start)
  return `${span.source.file}:${line}:${column}`
}

/** The places of the clauses by which a request may be answered; none where a plugin's own route judges it. */
export async function clausesOf(
  { app }: Pick<Engine, 'app'>,
  account: number | undefined,
  request: string,
): Promise<readonly string[]> {
  const { catalog, foundation, routes } = app
  const call = { requestId: 'scenario', afterCommit: () => undefined }
  const [actor] = account === undefined ? [ANONYMOUS] : await foundation.actorsOf(foundation.database.adhoc, [account])
  try {
    const question = questionOf(findRoute(request, { routes, catalog }))
    if (question === undefined || actor === undefined) return []
    return (await clausesAsked(executionOf(foundation, { ...call, actor }), question)).map(placeOf)
  } catch {
    // A request that no route answers has no policy.
    return []
  }
}

/** A line for each clause of the application's own files that is not among the exercised ones. */
export function unexercised(
  { resources }: Catalog,
  files: ReadonlySet<string>,
  exercised: ReadonlySet<string>,
): readonly string[] {
  const lines = [...resources.values()].flatMap(({ policies }) =>
    Object.entries(policies).flatMap(([policy, clauses]) =>
      clauses
        .filter((clause) => files.has(clause.span.source.file) && !exercised.has(placeOf(clause)))
        .map(({ span, ...rest }) => {
          const written = span.source.text.slice(span.start, span.end).replace(/\s+/g, ' ')
          return `${placeOf({ span, ...rest })}  ${policy}: ${written}`
        }),
    ),
  )
  return [...new Set(lines)]
}
