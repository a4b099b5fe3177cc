/** What is left of a resource file when one of its fields or relations can't be used: all the others. */
import { checkResource } from '../definition/check.ts'
import type { Document, ResourceDefinition } from '../definition/definition.ts'
import type { Vocabulary } from '../definition/vocabulary.ts'
import { isObject } from '../json.ts'

/**
 * The check leaves out all fields when one is wrong. Here each is looked at by itself, so that the rest of the file is
 * still judged; `broken` names the wrong ones, `tickets.status`, so that nobody is told they don't exist.
 */
export function salvage(
  written: Document<unknown>,
  kept: Document<ResourceDefinition>,
  vocabulary: Vocabulary,
): { readonly document: Document<ResourceDefinition>; readonly broken: readonly string[] } {
  const raw = isObject(written.value) ? written.value : {}
  const broken: string[] = []
  const parts: Partial<Pick<ResourceDefinition, 'fields' | 'relations'>> = {}
  const { resource } = kept.value
  for (const part of ['fields', 'relations'] as const) {
    const lost = raw[part]
    if (!isObject(lost) || kept.value[part] !== undefined) continue
    const good: Record<string, object> = {}
    for (const [name, definition] of Object.entries(lost)) {
      const alone = { value: { resource, [part]: { [name]: definition } }, place: written.place }
      const entry = checkResource(alone, vocabulary).value?.value[part]?.[name]
      if (entry !== undefined && isObject(definition)) good[name] = entry
      else broken.push(`${resource}.${name}`, `${resource}.${columnOf(name, definition)}`)
    }
    Object.assign(parts, { [part]: good })
  }
  return { document: { value: { ...kept.value, ...parts }, place: kept.place }, broken }
}

/** The foreign key that a broken relation would have brought. */
function columnOf(name: string, definition: unknown): string {
  return isObject(definition) && typeof definition.column === 'string' ? definition.column : `${name}_id`
}
