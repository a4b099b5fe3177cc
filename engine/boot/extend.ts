/** An application's file for a resource that a plugin brings along is laid over the plugin's: one document, every node with its place. */
import type { Document } from '../definition/definition.ts'
import { isObject } from '../json.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { lay } from './lay.ts'

/**
 * The plugins' documents, each with what the application's file of the same resource says, and behind them the
 * application's other files. What contradicts the plugin is a complaint, and the plugin's word stays.
 */
export function extend(
  brought: readonly Document<unknown>[],
  own: readonly Document<unknown>[],
): Required<Collected<readonly Document<unknown>[]>> {
  const diagnostics: Diagnostic[] = []
  const used = new Set<Document<unknown>>()
  const byName = new Map<string | undefined, Document<unknown>>()
  for (const document of own) if (!byName.has(nameOf(document))) byName.set(nameOf(document), document)
  const extended = brought.map((base): Document<unknown> => {
    const over = nameOf(base) === undefined ? undefined : byName.get(nameOf(base))
    // Of two plugins that bring the same resource the second is a duplicate, and so is a second file of the application.
    if (over === undefined || used.has(over)) return base
    used.add(over)
    return lay(base, over, diagnostics)
  })
  return { value: [...extended, ...own.filter((document) => !used.has(document))], diagnostics }
}

/** The resource that a document declares. */
export function nameOf({ value }: Document<unknown>): string | undefined {
  return isObject(value) && typeof value.resource === 'string' ? value.resource : undefined
}
