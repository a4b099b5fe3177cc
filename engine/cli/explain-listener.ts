/** `plinth explain --listener notifications.tell --record tickets.7`: what a listener does for the latest writes of a record, and why. */
import { executionOf, inTransaction } from '../action/execution.ts'
import { pluginContext } from '../action/plugin-context.ts'
import { SYSTEM } from '../actor.ts'
import type { Resource } from '../catalog/catalog.ts'
import { changesOf } from '../change/log.ts'
import type { App } from '../engine.ts'
import { LIMITS } from '../limits.ts'
import { nearest } from '../text/nearest.ts'
import { placeOf, writtenAt } from '../text/source.ts'
import type { Invocation } from './command.ts'

const MOST = 10

/** The explanation as text; throws the sentence that says why there is none. */
export async function explainListener({ options }: Pick<Invocation, 'options'>, app: App): Promise<string> {
  const { catalog, composition, foundation } = app
  const name = String(options.listener)
  const found = composition.listeners.get(name)
  if (found === undefined) {
    const near = nearest(name, [...composition.listeners.keys()])
    throw new Error(
      `There is no listener ${name}; write <plugin>.<name>.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    )
  }
  const { id, resource } = recordNamed(String(options.record ?? ''), app)
  const call = executionOf(foundation, { actor: SYSTEM, requestId: 'explain', afterCommit: () => undefined })
  const changes = await changesOf(call.adhoc, catalog, { resource: resource.owner, id }, MOST)
  const heard = new Set(catalog.listeners.get(name))
  const lines: string[] = []
  for (const change of changes) {
    const fields = change.fields.map(({ field }) => field).join(', ')
    const word = `${resource.owner} ${change.action}`
    const isHeard = heard.has(word)
    const span = catalog.listenersAt.get(`${name} ${word}`)
    const by = isHeard ? `, heard by ${span === undefined ? 'what the plugin says' : placeOf(span)}` : ''
    lines.push(`    ${change.at}  ${change.action}${fields === '' ? '' : ` ${fields}`}${by}`)
    const { explain } = found.value
    const said =
      isHeard && explain !== undefined
        ? await inTransaction(call, (within) => {
            const context = { ...pluginContext(within, found.options), transaction: within.transaction }
            return explain(context, change)
          })
        : [isHeard ? 'is heard; the plugin does not tell what comes of it' : 'is not heard']
    lines.push(...said.map((line) => `      → ${line}`))
  }
  const head = `listener ${name}: ${found.value.description}`
  if (changes.length === 0) return `${head}\n  outcome: the log of changes holds no write of this record`
  const rules = resource.policies.view.map(({ span }) => `    ${placeOf(span)}  ${writtenAt(span)}`)
  const readers = [`  who may read it, by view of ${resource.name}:`, ...rules]
  return [head, ...readers, '  writes, the latest first, and what it does for each as things are now:', ...lines].join(
    '\n',
  )
}

function recordNamed(text: string, { catalog }: App): { readonly resource: Resource; readonly id: number } {
  const [name = '', written = ''] = text.split('.')
  const id = Number(written)
  if (name === '' || !Number.isInteger(id) || id < 1 || id > LIMITS.idMax)
    throw new Error('Say which record is meant by its resource and id: --record tickets.7.')
  const resource = catalog.resources.get(name)
  if (resource !== undefined) return { resource, id }
  const near = nearest(name, [...catalog.resources.keys()])
  throw new Error(`There is no resource ${name}.${near === undefined ? '' : ` Did you mean ${near}?`}`)
}
