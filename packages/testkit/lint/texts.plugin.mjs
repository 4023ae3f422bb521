// Lint rules for the texts of the web UI.
const textAttributes = new Set(['alt', 'aria-label', 'description', 'label', 'placeholder', 'title']);
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

// Symbols, entities and names in capitals need no translation.
function isText(value) {
  return /\p{Ll}{2}/u.test(value.replace(/&\w+;/g, ''));
}

function hasAncestor(node, isMatch) {
  for (let above = node.parent; above; above = above.parent) if (isMatch(above)) return true;
  return false;
}

// `texts/in-catalogue`: a text goes through `t`, `plural` or `<Trans>`, so that it is extracted and can be translated.
const inCatalogue = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const report = (node, text) =>
      context.report({ node, message: `Write {t\`${text.trim()}\`}: texts are messages of the catalogue` });
    const isTrans = (node) => node.type === 'JSXElement' && node.openingElement.name.name === 'Trans';
    return {
      JSXText(node) {
        if (isText(node.value) && !hasAncestor(node, isTrans)) report(node, node.value);
      },
      JSXAttribute({ name, value }) {
        if (value?.type !== 'Literal' || !textAttributes.has(name.name)) return;
        if (isText(value.value)) report(value, value.value);
      },
    };
  },
};

// `texts/translated-in-functions`: a module is loaded before the language is known; its tables use `msg`.
const translatedInFunctions = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const check = (node, name) => {
      if (hasAncestor(node, ({ type }) => functions.has(type))) return;
      context.report({
        node,
        message: `Use msg and translateOnRead: '${name}' translates before the language is known`,
      });
    };
    return {
      TaggedTemplateExpression: (node) => node.tag.name === 't' && check(node, 't'),
      CallExpression: (node) => node.callee.name === 'plural' && check(node, 'plural'),
    };
  },
};

export default {
  meta: { name: 'texts' },
  rules: { 'in-catalogue': inCatalogue, 'translated-in-functions': translatedInFunctions },
};
