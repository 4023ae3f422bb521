import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginBundle;
import org.elasticsearch.plugins.PluginsLoader;

/**
 * Starts one node of Elasticsearch. Arguments: the folder of the configuration, then settings as key=value. Its own launcher
 * needs the whole distribution, which is not published as an artifact.
 */
public class SearchNode {
  public static void main(String[] args) throws Exception {
    Settings.Builder settings = Settings.builder();
    for (int i = 1; i < args.length; i++) {
      String[] setting = args[i].split("=", 2);
      settings.put(setting[0], setting[1]);
    }
    LogConfigurator.configureESLogging();
    LogConfigurator.setNodeName("test");
    Environment environment =
        InternalSettingsPreparer.prepareEnvironment(settings.build(), Map.of(), Path.of(args[0]), () -> "test");
    Node node =
        new Node(
            environment,
            PluginsLoader.createPluginsLoader(modulesOf(environment), Set.of(), Map.of(), false));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node)));
    node.start();
    // All threads of a node are daemons.
    Thread.currentThread().join();
  }

  /** The method has a second parameter since 9.5. */
  @SuppressWarnings("unchecked")
  private static Set<PluginBundle> modulesOf(Environment environment) throws Exception {
    Path folder = environment.modulesDir();
    for (var method : PluginsLoader.class.getMethods()) {
      if (!method.getName().equals("loadModulesBundles")) continue;
      Object bundles =
          method.getParameterCount() == 1 ? method.invoke(null, folder) : method.invoke(null, folder, false);
      return (Set<PluginBundle>) bundles;
    }
    throw new IllegalStateException("this version of Elasticsearch loads its modules in another way");
  }

  private static void close(Node node) {
    try {
      node.close();
    } catch (Exception e) {
      e.printStackTrace();
    }
  }
}
