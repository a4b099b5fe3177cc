/** Makes `import … from 'plinth'` in a plugin mean the engine that loads it, whichever copies are installed. */
import { register } from 'node:module'

/** Source beside source, compiled beside compiled: a second copy would have classes of its own, and its refusals be 500. */
const OWN = new URL(import.meta.url.endsWith('.ts') ? '../index.ts' : '../index.js', import.meta.url).href

const HOOK = `export async function resolve(specifier, context, next) {
  if (specifier !== 'plinth') return next(specifier, context)
  return { url: ${JSON.stringify(OWN)}, format: 'module', shortCircuit: true }
}`

let named = false

/** Takes effect for what is imported from now on. */
export function nameOwnPackage(): void {
  if (named) return
  named = true
  register(`data:text/javascript,${encodeURIComponent(HOOK)}`)
}
