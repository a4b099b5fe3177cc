/** Options of plugins that stand in no file. */
import type { Document, PluginsDefinition } from '../../engine/definition/definition.ts'

/** As `compose` takes them; complaints about them have no place worth showing. */
export function unwritten(options: PluginsDefinition): Document<PluginsDefinition> {
  const source = { file: 'app.yaml', text: '' }
  return { value: options, place: () => ({ source, start: 0, end: 0 }) }
}
