/** What a listener does for the latest writes of a record, and why ⇄. */

import { SYSTEM } from '../actor.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import type { BoundListener, Change } from '../change/listener.ts'
import { changesOf } from '../change/log.ts'
import { pluginContext } from '../context/plugin-context.ts'
import { LIMITS } from '../limits.ts'
import { type Execution, executionOf, type Foundation, inTransaction } from '../run/execution.ts'
import { nearest } from '../text/nearest.ts'
import { placeOf, writtenAt } from '../text/source.ts'
import type { Finding, Report } from './render.ts'

/** Writes that are looked at. */
const MOST = 10

/** What of an application says which listeners it has. */
interface Listening {
  readonly catalog: Catalog
  readonly composition: { readonly listeners: ReadonlyMap<string, BoundListener> }
  readonly foundation: Foundation
}

/** What a listener does for the latest writes of a record, as a report; throws the sentence that says why there is none. */
export async function listenerReport(app: Listening, name: string, record: string): Promise<Report> {
  const { catalog, composition, foundation } = app
  const found = composition.listeners.get(name)
  if (found === undefined) {
    const near = nearest(name, [...composition.listeners.keys()])
    const hint = near === undefined ? '' : ` Did you mean ${near}?`
    throw new Error(`There is no listener ${name}; write <plugin>.<name>.${hint}`)
  }
  const { id, resource } = recordNamed(record, catalog)
  const call = executionOf(foundation, { actor: SYSTEM, requestId: 'explain', afterCommit: () => undefined })
  const changes = await changesOf(call.adhoc, catalog, { resource: resource.owner, id }, MOST)
  const head = [`listener ${name}: ${found.value.description}`]
  if (changes.length === 0) return { head, sections: [], outcome: 'the log of changes holds no write of this record' }
  const findings: Finding[] = []
  for (const change of changes) findings.push(await findingOf(call, { catalog, found, name, resource }, change))
  const clauses = resource.policies.view.map(({ span }) => ({ text: `${placeOf(span)}  ${writtenAt(span)}` }))
  return {
    head,
    sections: [
      { title: `who may read it, by view of ${resource.name}`, findings: clauses },
      { title: 'writes, the latest first, and what it does for each as things are now', findings },
    ],
  }
}

interface Asked extends Pick<Listening, 'catalog'> {
  readonly name: string
  readonly found: BoundListener
  readonly resource: Resource
}

/** One write, by which entry it is heard, and what comes of it. */
async function findingOf(call: Execution, { catalog, found, name, resource }: Asked, change: Change): Promise<Finding> {
  const fields = change.fields.map(({ field }) => field).join(', ')
  const word = `${resource.owner} ${change.action}`
  const isHeard = catalog.listeners.get(name)?.includes(word) === true
  const span = catalog.listenersAt.get(`${name} ${word}`)
  const by = isHeard ? `, heard by ${span === undefined ? 'what the plugin says' : placeOf(span)}` : ''
  const text = `${change.at}  ${change.action}${fields === '' ? '' : ` ${fields}`}${by}`
  const { explain } = found.value
  if (!isHeard) return { text, verdicts: ['is not heard'] }
  if (explain === undefined) return { text, verdicts: ['is heard; the plugin does not tell what comes of it'] }
  const verdicts = await inTransaction(call, (within) =>
    explain({ ...pluginContext(within, found.options), transaction: within.transaction }, change),
  )
  return { text, verdicts }
}

function recordNamed(text: string, catalog: Catalog): { readonly resource: Resource; readonly id: number } {
  const [name = '', written = ''] = text.split('.')
  const id = Number(written)
  if (name === '' || !Number.isInteger(id) || id < 1 || id > LIMITS.idMax)
    throw new Error('Say which record is meant by its resource and id: --record tickets.7.')
  const resource = catalog.resources.get(name)
  if (resource !== undefined) return { resource, id }
  const near = nearest(name, [...catalog.resources.keys()])
  throw new Error(`There is no resource ${name}.${near === undefined ? '' : ` Did you mean ${near}?`}`)
}
