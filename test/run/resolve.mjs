/** A module hook: tests that import uvu get the watched suite, which itself gets the real one. */
const watched = new URL('./suite.ts', import.meta.url).href

export function resolve(specifier, context, next) {
  if (specifier === 'uvu' && context.parentURL !== undefined && !context.parentURL.startsWith(watched)) {
    return { url: watched, shortCircuit: true }
  }
  return next(specifier, context)
}
