// Lint rule `style/top-level-function`: top-level functions are declarations, so that the public one can stand first. A
// constant with a type annotation (`const handler: Handler = ...`) is allowed.
const topLevelFunction = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const isTopLevel = ({ parent }) =>
      parent.type === 'Program' || (parent.type === 'ExportNamedDeclaration' && parent.parent.type === 'Program');
    return {
      VariableDeclaration(node) {
        if (!isTopLevel(node)) return;
        for (const { id, init } of node.declarations) {
          if (init?.type !== 'ArrowFunctionExpression' && init?.type !== 'FunctionExpression') continue;
          if (id.type !== 'Identifier' || id.typeAnnotation) continue;
          context.report({ node: id, message: `Declare '${id.name}' as a function: function ${id.name}(...)` });
        }
      },
    };
  },
};

// Lint rule `style/camel-case-constant`: constants are written in camelCase; capitals are left to environment variables.
const camelCaseConstant = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    return {
      VariableDeclarator({ id }) {
        if (id.type !== 'Identifier' || !/^[A-Z][A-Z0-9_]+$/.test(id.name)) return;
        context.report({ node: id, message: `Write '${id.name}' in camelCase` });
      },
    };
  },
};

export default {
  meta: { name: 'style' },
  rules: { 'camel-case-constant': camelCaseConstant, 'top-level-function': topLevelFunction },
};
